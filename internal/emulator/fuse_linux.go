package emulator

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"plinth/internal/device"
)

// fuseFront is the form that always works: a filesystem with one file, for a loop device.
//
// The protocol's structures come from go-fuse, but not the server. go-fuse's server does not
// request CAP_ASYNC_DIO, without which the loop device has only one request in flight, and it
// uses a goroutine and a thread for each waiting request: four times the CPU time.
type fuseFront struct {
	fd       int // /dev/fuse, non-blocking
	mount    string
	size     int64
	requests *requests
}

// The FUSE requests that are answered (linux/fuse.h). All others get ENOSYS, from which the
// kernel concludes that the filesystem does not support them.
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

// Nodes of the filesystem: its root and its only file.
const (
	rootNode  = fuse.FUSE_ROOT_ID
	imageNode = 2
)

// attributesValid is how long the kernel may cache attributes and entries, in seconds: they never
// change.
const attributesValid = 24 * 60 * 60

const (
	fuseAnswerHeader = int(unsafe.Sizeof(fuse.OutHeader{}))
	fuseHeader       = int(unsafe.Sizeof(fuse.InHeader{}))
)

// receive also answers requests that concern the file rather than the device.
func (f *fuseFront) receive() (r *request, came bool, err error) {
	if r, err = f.requests.get(largest); err != nil {
		return nil, false, err
	}
	r.length, err = unix.Read(f.fd, r.buffer)
	if err == nil && r.length >= fuseHeader {
		if f.take(r) {
			return r, true, nil
		}
		f.requests.put(r)
		return nil, true, nil
	}
	f.requests.put(r)
	switch {
	case err == nil, errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return nil, false, nil
	case errors.Is(err, unix.ENOENT):
		return nil, true, nil // the sender has cancelled it
	case errors.Is(err, unix.ENODEV), errors.Is(err, unix.ECONNABORTED):
		return nil, false, fmt.Errorf("the emulator's filesystem on %s was unmounted by another process", f.mount)
	}
	return nil, false, fmt.Errorf("cannot read requests from the kernel: %w", err)
}

func (f *fuseFront) watch(fds []unix.PollFd) []unix.PollFd {
	return append(fds, unix.PollFd{Fd: int32(f.fd), Events: unix.POLLIN})
}

// take parses r and reports whether it is for the device. It answers all other requests itself,
// if they need an answer.
func (f *fuseFront) take(r *request) bool {
	in := as[fuse.InHeader](r)
	r.unique = in.Unique
	switch in.Opcode {
	case opRead:
		read := as[fuse.ReadIn](r)
		r.task = taskRead
		r.asked = device.Request{Kind: device.Read, Offset: int64(read.Offset), Size: int64(min(read.Size, largest))}
	case opWrite:
		write := as[fuse.WriteIn](r)
		r.task, r.data = taskWrite, r.buffer[unsafe.Sizeof(*write):r.length]
		r.asked = device.Request{Kind: device.Write, Offset: int64(write.Offset), Size: int64(len(r.data))}
	case opFsync:
		r.task, r.asked = taskFlush, device.Request{Kind: device.Flush}
	case opFallocate:
		in := as[fuse.FallocateIn](r)
		r.task, r.mode, r.asked.Offset, r.asked.Size = taskAllocate, in.Mode, int64(in.Offset), int64(in.Length)
	case opForget, opBatchForget, opInterrupt:
		return false
	default:
		f.question(r)
		f.answer(r)
		return false
	}
	return true
}

// queueLength is the maximum number of requests in flight: more than the loop device has.
const queueLength = 1024

// question answers a request about the file.
func (f *fuseFront) question(r *request) {
	in := *as[fuse.InHeader](r)
	switch in.Opcode {
	case opInit:
		asked := *as[fuse.InitIn](r)
		put(r, fuse.InitOut{
			Major: 7, Minor: min(asked.Minor, 31), MaxReadAhead: asked.MaxReadAhead,
			Flags:         asked.Flags & (fuse.CAP_ASYNC_READ | fuse.CAP_BIG_WRITES | fuse.CAP_ASYNC_DIO | fuse.CAP_MAX_PAGES),
			MaxBackground: queueLength, CongestionThreshold: queueLength,
			MaxWrite: largest, MaxPages: largest / blockSize, TimeGran: 1,
		})
	case opLookup:
		if strings.TrimRight(string(r.buffer[fuseHeader:r.length]), "\x00") != imageName {
			r.errno = syscall.ENOENT
			return
		}
		put(r, fuse.EntryOut{NodeId: imageNode, EntryValid: attributesValid, AttrValid: attributesValid, Attr: f.attributes(imageNode)})
	case opGetattr:
		put(r, fuse.AttrOut{AttrValid: attributesValid, Attr: f.attributes(in.NodeId)})
	case opOpen:
		// Without the second flag, writers would wait for each other.
		put(r, fuse.OpenOut{OpenFlags: fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES})
	case opStatfs:
		blocks := uint64(f.size / blockSize)
		put(r, fuse.StatfsOut{Blocks: blocks, Files: 1, Bsize: blockSize, Frsize: blockSize, NameLen: 255})
	case opRelease, opFlush, opDestroy:
	default:
		r.errno = syscall.ENOSYS
	}
}

// answer sends the answer to r. An error has no body.
func (f *fuseFront) answer(r *request) {
	switch {
	case r.errno != 0:
		r.size = 0
	case r.task == taskWrite:
		put(r, fuse.WriteOut{Size: uint32(r.asked.Size)})
	}
	all := r.buffer[bodyAt-fuseAnswerHeader : bodyAt+r.size]
	*(*fuse.OutHeader)(unsafe.Pointer(&all[0])) = fuse.OutHeader{
		Length: uint32(len(all)), Status: -int32(r.errno), Unique: r.unique,
	}
	_, _ = syscall.Write(f.fd, all)
}

func (f *fuseFront) attributes(node uint64) fuse.Attr {
	if node == rootNode {
		return fuse.Attr{Ino: rootNode, Mode: syscall.S_IFDIR | 0o700, Nlink: 2, Blksize: blockSize}
	}
	return fuse.Attr{Ino: node, Mode: syscall.S_IFREG | 0o600, Nlink: 1, Size: uint64(f.size),
		Blocks: uint64(f.size / 512), Blksize: blockSize}
}

// mount mounts the filesystem without fusermount: loop devices require root, too.
func mount(c Config, free *requests) (*fuseFront, error) {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open /dev/fuse: %w", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,max_read=%d", fd, largest)
	if err := unix.Mount("plinth", c.Mount, filesystemType, unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("cannot mount a FUSE filesystem on %s: %w", c.Mount, err)
	}
	return &fuseFront{fd: fd, mount: c.Mount, size: c.Size, requests: free}, nil
}

// stop detaches the filesystem, since it may still be in use.
func (f *fuseFront) stop() error { return detach(f.mount) }
