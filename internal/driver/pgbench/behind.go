package pgbench

import (
	"io"
	"sync"
)

// behind writes to a file from a separate goroutine, so that a slow file system, which may
// be on the disk under test, does not keep plinth from reading pgbench's log. The amount of
// pending data is limited; beyond the limit Write blocks, and a log that is not read then
// shows in the gauge of its pipe.
type behind struct {
	file  io.Writer
	limit int // bytes

	mu      sync.Mutex
	changed sync.Cond
	pending []byte
	closed  bool
	err     error // the first failure; later writes are refused
	done    chan struct{}
}

func newBehind(file io.Writer, limit int) *behind {
	b := &behind{file: file, limit: limit, done: make(chan struct{})}
	b.changed.L = &b.mu
	go b.work()
	return b
}

// Write queues p. The error is that of an earlier write to the file.
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

// Close waits until everything is written, and may be called again.
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

// next waits for data to write, and reuses the memory of the last batch. An empty batch is
// the end.
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
