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

// largest is the largest read or write in bytes of the form FUSE: what the kernel allows.
// An nbd device may be told to have larger ones (max_sectors_kb), which are rare.
const largest = 1 << 20

// request is what the kernel asks, and the answer to it. Both are in one buffer: a
// request is taken apart before its answer is written over it.
type request struct {
	buffer []byte // an answer's header ends, and what is behind it begins, at bodyAt
	length int    // of what the kernel sent, from the beginning of the buffer

	// Of what is taken apart.
	task   task
	unique uint64         // the kernel's number of it
	forced bool           // a write that is not done before it is safe
	data   []byte         // to be written
	mode   uint32         // of fallocate
	asked  device.Request // what of the device

	// Of the answer.
	errno syscall.Errno
	size  int           // of what is behind the header
	due   time.Duration // when it is to be sent
	cuts  int           // of the power, before it came

	// stage settles who sends an answer that a helper works on.
	stage atomic.Int32
}

// task is what is to be done for a request.
type task int

const (
	taskNone task = iota // the front has answered it
	taskRead
	taskWrite
	taskFlush
	taskAllocate // fallocate(2)
)

// timed says whether r takes the device's time.
func (r *request) timed() bool {
	return r.task == taskRead || r.task == taskWrite || r.task == taskFlush
}

// The stages of a request that a helper works on. Whoever comes second, the work's
// end or the time, sends the answer.
const (
	stageWork = iota
	stageDone // before its time
	stageDue  // before its end
)

const (
	bodyAt     = blockSize
	bufferSize = bodyAt + largest
)

// body is room for n bytes behind the answer's header.
func (r *request) body(n int) []byte {
	r.size = n
	return r.buffer[bodyAt : bodyAt+n]
}

// put is v behind the answer's header.
func put[T any](r *request, v T) {
	*(*T)(unsafe.Pointer(&r.body(int(unsafe.Sizeof(v)))[0])) = v
}

// as is what the kernel sent, as one of its structures. The buffer is longer than
// any of them.
func as[T any](r *request) *T { return (*T)(unsafe.Pointer(&r.buffer[0])) }

// requests are used again and again: one that is answered allocates nothing, unless it
// is larger than largest. Their buffers are not Go's: only what was touched of them takes
// memory.
type requests struct {
	mu   sync.Mutex
	free []*request
}

// get is a request with room for size bytes.
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

// queue holds requests until they are to be answered: a heap, the earliest first.
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

// next is when the earliest answer is due.
func (q queue) next() (due time.Duration, waits bool) {
	if len(q) == 0 {
		return 0, false
	}
	return q[0].due, true
}
