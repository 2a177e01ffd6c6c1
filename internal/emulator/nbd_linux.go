package emulator

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
)

// nbdFront is the preferred form where the kernel has nbd: a block device without a filesystem
// and a loop device in between. The kernel sends requests over a socket, as to an nbd server: a
// stream of requests, which arrive in pieces, and of replies in any order. Only the transmission
// phase of the protocol is used, since both ends are local
// (https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md).
type nbdFront struct {
	fd       int
	size     int64 // of the device, in bytes
	requests *requests

	header  [nbdHeader]byte
	have    int      // bytes of header received
	writing *request // a write whose data is incomplete
	filled  int      // bytes of its data received
	skip    int      // bytes of a rejected write's data still to discard

	sending sync.Mutex // answers come from several threads

	path   string       // "/dev/nbd3"
	device *os.File     // the open device; nil in tests without a kernel at the other end
	ended  <-chan error // why the kernel released it
}

// Requests of the kernel. Others are answered with EINVAL.
const (
	nbdRead       = 0
	nbdWrite      = 1
	nbdDisconnect = 2
	nbdFlush      = 3
	nbdTrim       = 4
)

const (
	nbdRequestMagic = 0x25609513
	nbdAnswerMagic  = 0x67446698
	nbdHeader       = 28
	nbdAnswerHeader = 16
	nbdForced       = 1        // flag of a write: answer when it is durable (FUA)
	nbdLargest      = 32 << 20 // the largest read or write in bytes: max_hw_sectors_kb
)

// Reasons why the connection ends.
var (
	errHungUp    = errors.New("was disconnected by another process")
	errNoRequest = errors.New("received an invalid request, and the start of the next one cannot be found")
)

// receive reads until a request is complete or no more data is available.
func (f *nbdFront) receive() (r *request, came bool, err error) {
	for r == nil && err == nil {
		n, failed := readNow(f.fd, f.room())
		switch {
		case errors.Is(failed, syscall.EAGAIN), errors.Is(failed, syscall.EINTR):
			return nil, came, nil
		case failed != nil, n == 0:
			return nil, came, fmt.Errorf("%s %w", f.path, errHungUp)
		}
		came = true
		r, err = f.advance(n)
	}
	if err != nil {
		err = fmt.Errorf("%s %w", f.path, err)
	}
	return r, came, err
}

func (f *nbdFront) watch(fds []unix.PollFd) []unix.PollFd {
	return append(fds, unix.PollFd{Fd: int32(f.fd), Events: unix.POLLIN})
}

// stop does nothing: the device goes with this process. Disconnecting it explicitly was worse:
// requests in flight then wait forever, while they fail if the thread that holds the device
// exits.
func (f *nbdFront) stop() error { return nil }

// scrap receives data that is discarded.
var scrap [64 << 10]byte

// room returns the buffer for the next bytes.
func (f *nbdFront) room() []byte {
	switch {
	case f.skip > 0:
		return scrap[:min(f.skip, len(scrap))]
	case f.writing != nil:
		return f.writing.data[f.filled:]
	}
	return f.header[f.have:]
}

// advance processes n received bytes and returns the request that they complete, if any.
func (f *nbdFront) advance(n int) (*request, error) {
	switch {
	case f.skip > 0:
		f.skip -= n
		return nil, nil
	case f.writing != nil:
		if f.filled += n; f.filled < len(f.writing.data) {
			return nil, nil
		}
		r := f.writing
		f.writing = nil
		return r, nil
	}
	if f.have += n; f.have < nbdHeader {
		return nil, nil
	}
	f.have = 0
	return f.take()
}

// take parses a header and returns its request if no data follows.
func (f *nbdFront) take() (*request, error) {
	kind := binary.BigEndian.Uint16(f.header[6:])
	switch {
	case binary.BigEndian.Uint32(f.header[:]) != nbdRequestMagic:
		return nil, errNoRequest
	case kind == nbdDisconnect:
		return nil, errHungUp
	}
	length, size := binary.BigEndian.Uint32(f.header[24:]), 0
	if kind == nbdRead || kind == nbdWrite {
		size = int(min(length, nbdLargest))
	}
	r, err := f.requests.get(size)
	if err != nil {
		return nil, err
	}
	r.unique = binary.BigEndian.Uint64(f.header[8:])
	if !f.accept(r, kind, binary.BigEndian.Uint64(f.header[16:]), length) {
		r.task, r.errno = taskNone, syscall.EINVAL
		f.answer(r)
		f.requests.put(r)
		if kind == nbdWrite {
			f.skip = int(length)
		}
		return nil, nil
	}
	if r.task == taskWrite && length > 0 {
		f.writing, f.filled = r, 0
		return nil, nil
	}
	return r, nil
}

// accept fills in r and reports whether the device supports the request.
func (f *nbdFront) accept(r *request, kind uint16, offset uint64, length uint32) bool {
	if kind == nbdFlush {
		r.task, r.asked = taskFlush, device.Request{Kind: device.Flush}
		return true
	}
	if offset > uint64(f.size) || uint64(length) > uint64(f.size)-offset {
		return false
	}
	r.asked = device.Request{Offset: int64(offset), Size: int64(length)}
	switch kind {
	case nbdRead:
		r.task, r.asked.Kind = taskRead, device.Read
		return length <= nbdLargest
	case nbdWrite:
		if length > nbdLargest {
			return false
		}
		r.task, r.asked.Kind, r.data = taskWrite, device.Write, r.buffer[bodyAt:bodyAt+int(length)]
		r.forced = binary.BigEndian.Uint16(f.header[4:])&nbdForced != 0
		return true
	case nbdTrim:
		r.task, r.mode = taskAllocate, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE
		return length > 0
	}
	return false
}

// answer sends the result of r.
func (f *nbdFront) answer(r *request) {
	size := 0
	switch {
	case r.task == taskAllocate && errors.Is(r.errno, syscall.EOPNOTSUPP):
		r.errno = 0 // a discard is a hint and may be ignored
	case r.task == taskRead && r.errno == 0 && int64(r.size) < r.asked.Size:
		r.errno = syscall.EIO // the backing file was truncated
	case r.task == taskRead && r.errno == 0:
		size = r.size
	}
	all := r.buffer[bodyAt-nbdAnswerHeader : bodyAt+size]
	binary.BigEndian.PutUint32(all, nbdAnswerMagic)
	binary.BigEndian.PutUint32(all[4:], uint32(r.errno)) // the protocol uses Linux error numbers
	binary.BigEndian.PutUint64(all[8:], r.unique)
	f.send(all)
}

// send sends a whole answer. It may block until the kernel has copied earlier answers, which it
// reads continuously.
func (f *nbdFront) send(all []byte) {
	f.sending.Lock()
	defer f.sending.Unlock()
	for len(all) > 0 {
		n, err := syscall.Write(f.fd, all)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return // the kernel is gone
		}
		all = all[max(n, 0):]
	}
}

// readNow is a non-blocking read(2) on a socket that is blocking for write(2).
func readNow(fd int, p []byte) (int, error) {
	n, _, errno := syscall.Syscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
