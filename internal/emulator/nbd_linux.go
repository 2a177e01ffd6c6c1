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

// nbdFront is the better form, where the kernel has nbd: a block device of its own,
// without a filesystem and a loop device in between. The kernel sends what it is asked
// over a socket, as to a server of the network block device: a stream of requests, which
// come in pieces, and of answers in any order. Only the transmission phase of that
// protocol is spoken, for both sides are here
// (https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md).
type nbdFront struct {
	fd       int
	size     int64 // of the device in bytes
	requests *requests

	header  [nbdHeader]byte
	have    int      // of it, in bytes
	writing *request // a write whose header is there, and whose data are not all
	filled  int      // of them, in bytes
	skip    int      // of the data of a write that is refused: still to come

	sending sync.Mutex // answers come from several threads

	path   string       // "/dev/nbd3"
	device *os.File     // it; nil where nobody but a test is at the other end
	ended  <-chan error // why the kernel gave it up
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
	nbdForced       = 1        // flag of a write: it is answered when it is safe (FUA)
	nbdLargest      = 32 << 20 // the largest read or write in bytes: max_hw_sectors_kb
)

// Why nothing more comes.
var (
	errHungUp    = errors.New("was disconnected by somebody else")
	errNoRequest = errors.New("got what is no request: nobody knows where the next one begins")
)

// receive reads until a request is whole, or nothing more is there.
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

// stop leaves it to the end of this process. To tell the kernel was worse: it then lets
// what is in flight wait for good, and when its thread here is ended it does not.
func (f *nbdFront) stop() error { return nil }

// scrap is where data goes that nobody wants.
var scrap [64 << 10]byte

// room is where the next bytes belong.
func (f *nbdFront) room() []byte {
	switch {
	case f.skip > 0:
		return scrap[:min(f.skip, len(scrap))]
	case f.writing != nil:
		return f.writing.data[f.filled:]
	}
	return f.header[f.have:]
}

// advance takes n bytes that came. The result is the request that they make whole.
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

// take takes a header apart. The result is its request, if that is all there is of it.
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

// accept says what r is; false for what the device cannot do.
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

// answer sends what became of r.
func (f *nbdFront) answer(r *request) {
	size := 0
	switch {
	case r.task == taskAllocate && errors.Is(r.errno, syscall.EOPNOTSUPP):
		r.errno = 0 // a discard is a hint: who cannot follow it does not
	case r.task == taskRead && r.errno == 0 && int64(r.size) < r.asked.Size:
		r.errno = syscall.EIO // the backing file became shorter
	case r.task == taskRead && r.errno == 0:
		size = r.size
	}
	all := r.buffer[bodyAt-nbdAnswerHeader : bodyAt+size]
	binary.BigEndian.PutUint32(all, nbdAnswerMagic)
	binary.BigEndian.PutUint32(all[4:], uint32(r.errno)) // the protocol's numbers are Linux'
	binary.BigEndian.PutUint64(all[8:], r.unique)
	f.send(all)
}

// send sends a whole answer. It may wait, as long as the kernel takes to copy what is
// before it: that reads all the time.
func (f *nbdFront) send(all []byte) {
	f.sending.Lock()
	defer f.sending.Unlock()
	for len(all) > 0 {
		n, err := syscall.Write(f.fd, all)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return // nobody is there to hear of it
		}
		all = all[max(n, 0):]
	}
}

// readNow is read(2) that does not wait on a socket where write(2) does.
func readNow(fd int, p []byte) (int, error) {
	n, _, errno := syscall.Syscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
