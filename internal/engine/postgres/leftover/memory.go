package leftover

import (
	"encoding/binary"
	"path/filepath"
	"strconv"
)

const sharedDir = "/dev/shm"

// controlMagic starts a control segment, src/backend/storage/ipc/dsm.c.
const controlMagic = 0x9a503d32

// controlMost is more bytes than a control segment has with the most backends.
const controlMost = 256 << 20

// DynamicSegments returns the files of a server in /dev/shm: its control segment and those that
// it lists, which hold the memory of parallel queries and, since 15, of the statistics.
func DynamicSegments(control uint32) []string {
	path := func(handle uint32) string {
		return filepath.Join(sharedDir, "PostgreSQL."+strconv.FormatUint(uint64(handle), 10))
	}
	content, err := readPlain(path(control), controlMost)
	if err != nil {
		return nil
	}
	handles, ok := controlledHandles(content)
	if !ok {
		return nil
	}
	paths := []string{path(control)}
	for _, handle := range handles {
		paths = append(paths, path(handle))
	}
	return paths
}

// controlledHandles parses a control segment: a header of three numbers (magic, items in use,
// items there is room for) in 16 bytes, then the items. Each item starts with a handle and a
// reference count; its length depends on the version.
func controlledHandles(content []byte) (handles []uint32, ok bool) {
	const header = 16
	number := func(at int) uint32 { return binary.NativeEndian.Uint32(content[at:]) }
	if len(content) < header || number(0) != controlMagic || number(8) == 0 {
		return nil, false
	}
	used, room := int(number(4)), int(number(8))
	item := (len(content) - header) / room
	if item < 8 || used > room {
		return nil, false
	}
	for at := header; used > 0; at, used = at+item, used-1 {
		if handle, references := number(at), number(at+4); references > 0 {
			handles = append(handles, handle)
		}
	}
	return handles, true
}
