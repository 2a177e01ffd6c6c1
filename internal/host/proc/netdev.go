package proc

import "bytes"

// Interface reads one line of /proc/net/dev (proc_pid_net(5)): a name, a colon, which the first number may follow
// at once, and the numbers. The name of an alias has a colon itself.
func Interface(line []byte, into *NetNumbers) (name []byte, ok bool) {
	i := bytes.LastIndexByte(line, ':')
	if i < 0 {
		return nil, false
	}
	name, _ = CutWord(line[:i])
	return name, len(name) > 0 && CutNumbers(line[i+1:], into[:]) == len(into)
}

// NetNumbers are the numbers after an interface's name: eight of what it received
// and eight of what it sent.
type NetNumbers [16]uint64
