package proc

import "bytes"

// Interface parses one line of /proc/net/dev (proc_pid_net(5)): a name, a colon, which the
// first number may follow without a space, and the numbers. An alias has a colon in its name.
func Interface(line []byte, into *NetNumbers) (name []byte, ok bool) {
	i := bytes.LastIndexByte(line, ':')
	if i < 0 {
		return nil, false
	}
	name, _ = CutWord(line[:i])
	return name, len(name) > 0 && CutNumbers(line[i+1:], into[:]) == len(into)
}

// NetNumbers are the numbers after an interface's name: eight for receiving and eight for
// sending.
type NetNumbers [16]uint64
