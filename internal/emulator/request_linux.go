package emulator

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
)

// largest is the largest read or write in bytes of the form FUSE: the kernel's limit. An nbd
// device can be configured for larger ones (max_sectors_kb), which are rare.
const largest = 1 << 20

// request is a request of the kernel and its answer. Both share one buffer: the request is parsed
// before its answer overwrites it.
type request struct {
	buffer []byte // the answer's header ends, and its body begins, at bodyAt
	length int    // bytes that the kernel sent, from the start of the buffer

	// Parsed fields.
	task   task
	unique uint64         // the kernel's number of the request
	forced bool           // a write that must be durable (FUA)
	data   []byte         // data to write
	mode   uint32         // mode of fallocate
	asked  device.Request // the request to the device

	// Fields of the answer.
	errno syscall.Errno
	size  int           // of the body
	due   time.Duration // when to send it
	began time.Duration // when it arrived, less the cost of the path
	cuts  int           // power cuts before the request arrived

	// stage decides who answers a request that a helper works on.
	stage atomic.Int32
}

// task is the work that a request needs.
type task int

const (
	taskNone task = iota // none: the front has answered it
	taskRead
	taskWrite
	taskFlush
	taskAllocate // fallocate(2)
)

// timed reports whether r takes device time.
func (r *request) timed() bool {
	return r.task == taskRead || r.task == taskWrite || r.task == taskFlush
}

// The stages of a request that a helper works on. Two events are needed, the end of the work and
// the due time; whichever comes second triggers the answer.
const (
	stageWork = iota
	stageDone // work done before the due time
	stageDue  // due before the work is done
)

const (
	bodyAt     = blockSize
	bufferSize = bodyAt + largest
)

// body returns room for n bytes after the answer's header.
func (r *request) body(n int) []byte {
	r.size = n
	return r.buffer[bodyAt : bodyAt+n]
}

// put stores v after the answer's header.
func put[T any](r *request, v T) {
	*(*T)(unsafe.Pointer(&r.body(int(unsafe.Sizeof(v)))[0])) = v
}

// as returns the kernel's message as one of its structures. The buffer is longer than any of
// them.
func as[T any](r *request) *T { return (*T)(unsafe.Pointer(&r.buffer[0])) }

// requests is a pool: answering a request allocates nothing, unless it is larger than largest.
// The buffers are outside Go's heap, and only pages that were touched take memory.
type requests struct {
	mu   sync.Mutex
	free []*request
}

// get returns a request with room for size bytes.
func (p *requests) get(size int) (*request, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 && size <= largest {
		r := p.free[last]
		p.free = p.free[:last]
		return r, nil
	}
	buffer, err := unix.Mmap(-1, 0, bodyAt+max(size, largest), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("no memory for a request: %w", err)
	}
	return &request{buffer: buffer}, nil
}

func (p *requests) put(r *request) {
	if len(r.buffer) > bufferSize {
		_ = unix.Munmap(r.buffer)
		return
	}
	r.task, r.forced, r.data = taskNone, false, nil
	r.asked, r.errno, r.size, r.due = device.Request{}, 0, 0, 0
	r.stage.Store(stageWork)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, r)
}

// queue holds requests until they are due: a heap with the earliest first.
type queue []*request

func (q *queue) push(r *request) {
	h := append(*q, r)
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent].due <= h[i].due {
			break
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
	*q = h
}

func (q *queue) pop() *request {
	h := *q
	first, last := h[0], len(h)-1
	h[0], h[last] = h[last], nil
	h = h[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h[child].due < h[least].due {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	*q = h
	return first
}

// next returns when the earliest answer is due.
func (q queue) next() (due time.Duration, waits bool) {
	if len(q) == 0 {
		return 0, false
	}
	return q[0].due, true
}
