package kernel

import "bytes"

// parseInterface is one line: a name, a colon, which the first number may follow
// at once, and the numbers. The name of an alias has a colon itself.
func parseInterface(line []byte, into *netNumbers) (name []byte, ok bool) {
	i := bytes.LastIndexByte(line, ':')
	if i < 0 {
		return nil, false
	}
	name, _ = cutWord(line[:i])
	return name, len(name) > 0 && cutNumbers(line[i+1:], into[:]) == len(into)
}

// netNumbers are the numbers after an interface's name: eight of what it received
// and eight of what it sent.
type netNumbers [16]uint64
