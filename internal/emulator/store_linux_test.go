package emulator

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// storeSize is three times the capacity of a cache, so that blocks are evicted.
const (
	room      = 16 * blockSize
	storeSize = 3 * room
)

// TestStore compares a store with a byte slice.
func TestStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := os.CreateTemp("", "plinth-store")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Remove(f.Name()) }()
		defer f.Close()
		if err := f.Truncate(storeSize); err != nil {
			t.Fatal(err)
		}
		s := newStore(f, false)
		s.room = room
		model := make([]byte, storeSize)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			offset := 512 * rapid.Int64Range(0, storeSize/512-1).Draw(t, "offset")
			size := 512 * rapid.IntRange(1, 64).Draw(t, "size")
			size = min(size, storeSize-int(offset))
			switch rapid.SampledFrom([]string{"write", "write", "read", "read now", "flush", "caching", "zero"}).Draw(t, "do") {
			case "write":
				p := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, size)
				if err := s.writeAt(p, offset); err != nil {
					t.Fatal(err)
				}
				copy(model[offset:], p)
			case "read":
				same(t, s, model, offset, size)
			case "read now":
				p := make([]byte, size)
				if n, ok := s.readNow(p, offset); ok && !bytes.Equal(p[:n], model[offset:offset+int64(n)]) {
					t.Fatalf("at %d other bytes are there", offset)
				}
			case "flush":
				if err := s.flush(); err != nil {
					t.Fatal(err)
				}
				s.power(false) // loses nothing: everything has been flushed
				if err := s.allocate(0x10|0x1, offset, int64(size)); !errors.Is(err, unix.EIO) {
					t.Fatalf("without power: %v", err)
				}
				s.power(true)
			case "caching":
				if err := s.setCaching(!s.caching.Load()); err != nil {
					t.Fatal(err)
				}
			case "zero":
				if err := s.allocate(0x10|0x1, offset, int64(size)); err != nil { // FALLOC_FL_ZERO_RANGE, KEEP_SIZE
					t.Fatal(err)
				}
				clear(model[offset : offset+int64(size)])
			}
		}
		same(t, s, model, 0, storeSize)
	})
}

// TestDiscardIsNoFlush checks that a discard does not make other blocks durable.
func TestDiscardIsNoFlush(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "store")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(storeSize); err != nil {
		t.Fatal(err)
	}
	s := newStore(f, true)
	for _, at := range []int64{0, 4 * blockSize} {
		if err := s.writeAt(bytes.Repeat([]byte{1}, blockSize), at); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.allocate(0x02|0x1, 3*blockSize, 2*blockSize); err != nil { // FALLOC_FL_PUNCH_HOLE, KEEP_SIZE
		t.Fatal(err)
	}
	s.power(false)
	s.power(true)
	p := make([]byte, storeSize)
	if n, err := s.readAt(p, 0); err != nil || n != storeSize || !bytes.Equal(p, make([]byte, storeSize)) {
		t.Errorf("%d bytes, %v: a block survived that was never flushed", n, err)
	}
}

func same(t *rapid.T, s *store, model []byte, offset int64, size int) {
	p := make([]byte, size)
	n, err := s.readAt(p, offset)
	if err != nil || n != size || !bytes.Equal(p, model[offset:offset+int64(size)]) {
		t.Fatalf("at %d, %d bytes: other bytes are there (%d, %v)", offset, size, n, err)
	}
}

func TestCacheMakesRoom(t *testing.T) {
	below := make([]byte, 2*room)
	read := func(p []byte, offset int64) (int, error) { return copy(p, below[offset:]), nil }
	through := func(p []byte, offset int64) error { copy(below[offset:], p); return nil }
	c := newCache(room)
	page := bytes.Repeat([]byte{1}, blockSize)
	for offset := int64(0); offset < 2*room; offset += blockSize {
		if err := c.write(page, offset, read, through); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Contains(below[:room], []byte{0}) {
		t.Error("the oldest blocks did not make room")
	}
	if bytes.Contains(below[room:], []byte{1}) {
		t.Error("younger blocks left before the oldest")
	}
	c.clear()
	p := make([]byte, blockSize)
	c.overlay(p, 2*room-blockSize)
	if p[0] != 0 {
		t.Error("something is left after a power cut")
	}
}
