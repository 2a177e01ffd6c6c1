package emulator

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// store holds the device's data: the backing file and, with a write cache, what has not been
// flushed to it yet.
type store struct {
	file *os.File
	room int // capacity of a write cache, in bytes

	mu      sync.RWMutex
	off     bool        // the power is cut
	cache   *cache      // nil without a write cache
	caching atomic.Bool // whether a cache exists, for callers that must not block
}

func newStore(f *os.File, caching bool) *store {
	s := &store{file: f, room: cacheSize}
	if caching {
		s.cache = newCache(s.room)
	}
	s.caching.Store(caching)
	return s
}

// readNow reads all of p if that does not block: the data is in the host's page cache, and the
// write cache is not locked for writing.
func (s *store) readNow(p []byte, offset int64) (n int, ok bool) {
	if len(p) == 0 || !s.mu.TryRLock() {
		return 0, false
	}
	defer s.mu.RUnlock()
	n, err := unix.Preadv2(int(s.file.Fd()), [][]byte{p}, offset, unix.RWF_NOWAIT)
	if err != nil || n < len(p) {
		return 0, false
	}
	if s.cache != nil {
		s.cache.overlay(p, offset)
	}
	return n, true
}

// readAt reads p, up to the end of the file.
func (s *store) readAt(p []byte, offset int64) (int, error) {
	s.mu.RLock() // keeps the contents of the cache in place
	defer s.mu.RUnlock()
	n, err := s.file.ReadAt(p, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("cannot read the backing file: %w", err)
	}
	if s.cache != nil {
		s.cache.overlay(p[:n], offset)
	}
	return n, nil
}

func (s *store) writeAt(p []byte, offset int64) error {
	s.mu.RLock()
	if s.cache == nil {
		defer s.mu.RUnlock()
		return s.writeThrough(p, offset)
	}
	s.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache == nil {
		return s.writeThrough(p, offset)
	}
	return s.cache.write(p, offset, s.file.ReadAt, s.writeThrough)
}

func (s *store) writeThrough(p []byte, offset int64) error {
	if _, err := s.file.WriteAt(p, offset); err != nil {
		return fmt.Errorf("cannot write the backing file: %w", err)
	}
	return nil
}

// flush makes written data durable if there is a write cache.
func (s *store) flush() error {
	s.mu.Lock()
	caching := s.cache != nil
	err := s.drain()
	s.mu.Unlock()
	if err != nil || !caching {
		return err
	}
	if err := unix.Fdatasync(int(s.file.Fd())); err != nil {
		return fmt.Errorf("cannot sync the backing file: %w", err)
	}
	return nil
}

// drain writes the contents of the cache. The caller holds the lock.
func (s *store) drain() error {
	if s.cache == nil {
		return nil
	}
	return s.cache.drain(s.writeThrough)
}

// allocate calls fallocate(2), for a discard or zeroes. It bypasses the cache, of which the blocks in
// this range are written first. The others stay: a discard makes nothing else durable.
func (s *store) allocate(mode uint32, offset, length int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return unix.EIO
	}
	if s.cache != nil {
		if err := s.cache.release(offset, length, s.writeThrough); err != nil {
			return err
		}
	}
	return unix.Fallocate(int(s.file.Fd()), mode, offset, length)
}

// power cuts the power and drops unflushed data, or restores the power.
func (s *store) power(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = !on
	if s.off && s.cache != nil {
		s.cache.clear()
	}
}

// setCaching adds a write cache, or drains and removes it.
func (s *store) setCaching(on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on == (s.cache != nil) {
		return nil
	}
	if err := s.drain(); err != nil {
		return err
	}
	s.cache = nil
	if on {
		s.cache = newCache(s.room)
	}
	s.caching.Store(on)
	return nil
}

// close writes the contents of the cache and closes the file, for a graceful stop.
func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.drain(), s.file.Close())
}
