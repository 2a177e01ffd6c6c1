package pgbench

import (
	"io"
	"sync"
)

// behind writes to a file from a goroutine of its own, so that a store that
// hesitates, and it may be the disk under test, does not keep plinth from
// reading pgbench's log. What waits to be written has a bound; beyond it Write
// waits, and a log that is not read then shows in the gauge of its pipe.
type behind struct {
	file  io.Writer
	limit int // bytes

	mu      sync.Mutex
	changed sync.Cond
	pending []byte
	closed  bool
	err     error // the first failure; what comes later is refused
	done    chan struct{}
}

func newBehind(file io.Writer, limit int) *behind {
	b := &behind{file: file, limit: limit, done: make(chan struct{})}
	b.changed.L = &b.mu
	go b.work()
	return b
}

// Write takes p over. The error is that of an earlier write to the file.
func (b *behind) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.err == nil && len(b.pending) > 0 && len(b.pending)+len(p) > b.limit {
		b.changed.Wait()
	}
	if b.err != nil {
		return 0, b.err
	}
	b.pending = append(b.pending, p...)
	b.changed.Broadcast()
	return len(p), nil
}

// Close waits until all is written, and may be called again.
func (b *behind) Close() error {
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
	<-b.done
	return b.err
}

func (b *behind) work() {
	defer close(b.done)
	var batch []byte
	for {
		batch = b.next(batch)
		if len(batch) == 0 {
			return
		}
		if _, err := b.file.Write(batch); err != nil {
			b.mu.Lock()
			b.err = err
			b.changed.Broadcast()
			b.mu.Unlock()
			return
		}
	}
}

// next waits for something to write, and gives the memory of the last batch
// back. Nothing is left when it is empty.
func (b *behind) next(last []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.pending) == 0 && !b.closed {
		b.changed.Wait()
	}
	batch := b.pending
	b.pending = last[:0]
	b.changed.Broadcast()
	return batch
}
