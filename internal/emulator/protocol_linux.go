package emulator

import (
	"errors"
	"strings"
	"syscall"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"

	"plinth/internal/device"
)

// Requests of the kernel that are answered (linux/fuse.h); all others are not known
// here, which the kernel takes for a filesystem that cannot do them.
const (
	opLookup      = 1
	opForget      = 2
	opGetattr     = 3
	opOpen        = 14
	opRead        = 15
	opWrite       = 16
	opStatfs      = 17
	opRelease     = 18
	opFsync       = 20
	opFlush       = 25
	opInit        = 26
	opInterrupt   = 36
	opDestroy     = 38
	opBatchForget = 42
	opFallocate   = 43
)

// Nodes of the filesystem: its root, and its only file.
const (
	rootNode  = fuse.FUSE_ROOT_ID
	imageNode = 2
)

// attributesValid is how long the kernel may believe what it was told, in seconds:
// nothing ever changes.
const attributesValid = 24 * 60 * 60

// take takes r apart; it is false for what nobody waits to be answered.
func (r *request) take() bool {
	in := as[fuse.InHeader](r)
	r.opcode, r.unique = in.Opcode, in.Unique
	switch in.Opcode {
	case opForget, opBatchForget, opInterrupt:
		return false
	case opRead:
		read := as[fuse.ReadIn](r)
		r.asked = device.Request{Kind: device.Read, Offset: int64(read.Offset), Size: int64(min(read.Size, largest))}
	case opWrite:
		write := as[fuse.WriteIn](r)
		r.data = r.buffer[unsafe.Sizeof(*write):r.length]
		r.asked = device.Request{Kind: device.Write, Offset: int64(write.Offset), Size: int64(len(r.data))}
	case opFsync:
		r.asked = device.Request{Kind: device.Flush}
	case opFallocate:
		in := as[fuse.FallocateIn](r)
		r.mode, r.asked.Offset, r.asked.Size = in.Mode, int64(in.Offset), int64(in.Length)
	}
	r.timed = in.Opcode == opRead || in.Opcode == opWrite || in.Opcode == opFsync
	return true
}

// quick does what surely takes no time, if r is that.
func (s *server) quick(r *request) bool {
	switch r.opcode {
	case opRead:
		n, ok := s.disk.store.readNow(r.body(int(r.asked.Size)), r.asked.Offset)
		r.size = n
		return ok
	case opFsync:
		return !s.disk.store.caching.Load()
	case opWrite, opFallocate:
		return false
	}
	s.question(r)
	return true
}

// perform does what r asks of the backing file.
func (s *server) perform(r *request) {
	var err error
	switch r.opcode {
	case opRead:
		r.size, err = s.disk.store.readAt(r.body(int(r.asked.Size)), r.asked.Offset)
	case opWrite:
		written := fuse.WriteOut{Size: uint32(len(r.data))}
		err = s.disk.store.writeAt(r.data, r.asked.Offset)
		put(r, written)
	case opFsync:
		err = s.disk.store.flush()
	case opFallocate:
		s.allocate(r)
		return
	}
	if err != nil {
		s.disk.fail(r, err)
	}
}

// question answers what is about the file, not the device.
func (s *server) question(r *request) {
	in := *as[fuse.InHeader](r)
	switch r.opcode {
	case opInit:
		s.initialize(r, *as[fuse.InitIn](r))
	case opLookup:
		if strings.TrimRight(string(r.buffer[inHeader:r.length]), "\x00") != imageName {
			r.errno = syscall.ENOENT
			return
		}
		put(r, fuse.EntryOut{NodeId: imageNode, EntryValid: attributesValid, AttrValid: attributesValid, Attr: s.attributes(imageNode)})
	case opGetattr:
		put(r, fuse.AttrOut{AttrValid: attributesValid, Attr: s.attributes(in.NodeId)})
	case opOpen:
		// Without the second flag writers would wait for one another.
		put(r, fuse.OpenOut{OpenFlags: fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES})
	case opStatfs:
		blocks := uint64(s.size / blockSize)
		put(r, fuse.StatfsOut{Blocks: blocks, Files: 1, Bsize: blockSize, Frsize: blockSize, NameLen: 255})
	case opRelease, opFlush, opDestroy:
	default:
		r.errno = syscall.ENOSYS
	}
}

// allocate passes a discard, or the writing of zeroes, on to the backing file; it
// takes no time of the device. What the backing filesystem cannot do, the device
// cannot.
func (s *server) allocate(r *request) {
	err := s.disk.store.allocate(r.mode, r.asked.Offset, r.asked.Size)
	if err != nil && !errors.As(err, &r.errno) {
		r.errno = syscall.EIO
	}
}

// queueLength is how many requests may be in flight at once: more than the loop
// device has.
const queueLength = 1024

// initialize agrees with the kernel on how to talk.
func (s *server) initialize(r *request, in fuse.InitIn) {
	put(r, fuse.InitOut{
		Major: 7, Minor: min(in.Minor, 31), MaxReadAhead: in.MaxReadAhead,
		Flags:         in.Flags & (fuse.CAP_ASYNC_READ | fuse.CAP_BIG_WRITES | fuse.CAP_ASYNC_DIO | fuse.CAP_MAX_PAGES),
		MaxBackground: queueLength, CongestionThreshold: queueLength,
		MaxWrite: largest, MaxPages: largest / blockSize, TimeGran: 1,
	})
}

func (s *server) attributes(node uint64) fuse.Attr {
	if node == rootNode {
		return fuse.Attr{Ino: rootNode, Mode: syscall.S_IFDIR | 0o700, Nlink: 2, Blksize: blockSize}
	}
	return fuse.Attr{Ino: node, Mode: syscall.S_IFREG | 0o600, Nlink: 1, Size: uint64(s.size),
		Blocks: uint64(s.size / 512), Blksize: blockSize}
}
