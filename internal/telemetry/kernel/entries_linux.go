package kernel

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// list calls each with the name of every entry of an open directory. os.ReadDir would
// allocate some kilobytes a second.
func list(fd int, buffer []byte, each func(name []byte)) error {
	if _, err := unix.Seek(fd, 0, 0); err != nil {
		return err
	}
	for {
		n, err := unix.Getdents(fd, buffer)
		if n <= 0 || err != nil {
			return err
		}
		for entries := buffer[:n]; len(entries) > 0; {
			var name []byte
			name, entries = cutEntry(entries)
			each(name)
		}
	}
}

// cutEntry returns the name of the first entry and the remaining entries: struct
// linux_dirent64 of getdents64(2).
func cutEntry(entries []byte) (name, rest []byte) {
	const lengthAt, nameAt = 16, 19
	length := int(binary.NativeEndian.Uint16(entries[lengthAt:]))
	name, _, _ = bytes.Cut(entries[nameAt:length], []byte{0})
	return name, entries[length:]
}
