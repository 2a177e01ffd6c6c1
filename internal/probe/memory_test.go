package probe

import (
	"math/rand/v2"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/unit"
)

// TestThreadIsOneRing checks that the ring visits each cache line exactly once.
func TestThreadIsOneRing(t *testing.T) {
	for _, lines := range []int{1, 2, 3, 1000} {
		memory := make([]byte, lines*cacheLine)
		thread(memory, rand.New(rand.NewPCG(1, uint64(lines))))
		seen := map[uint64]bool{}
		at := uint64(0)
		for !seen[at] {
			if at%cacheLine != 0 {
				t.Fatalf("%d lines: %d is no line's beginning", lines, at)
			}
			seen[at] = true
			at = get(memory, int(at/cacheLine))
		}
		if len(seen) != lines || at != 0 {
			t.Errorf("%d lines: a ring of %d, back at %d", lines, len(seen), at)
		}
	}
}

// TestChase checks that chase follows exactly the number of loads that it counts.
func TestChase(t *testing.T) {
	memory := make([]byte, 8*unit.KiB)
	thread(memory, rand.New(rand.NewPCG(1, 1)))
	seconds, to := chase(memory, 0, time.Nanosecond)
	want := uint64(0)
	for range 1 << 14 { // the minimum number of loads
		want = get(memory, int(want/cacheLine))
	}
	if to != want || seconds <= 0 || seconds >= 60 {
		t.Errorf("a load takes %g s, and the last one is at %d, want %d", seconds, to, want)
	}
}

func TestMemorySize(t *testing.T) {
	l3 := func(size unit.Size) []host.Cache {
		return []host.Cache{{Level: 2, Size: 1 << 20}, {Level: 3, Size: int64(size)}}
	}
	for name, try := range map[string]struct {
		size      unit.Size
		caches    []host.Cache
		available unit.Size
		buffers   int
		want      unit.Size
	}{
		"small caches":  {0, l3(8 * unit.MiB), 64 * unit.GiB, 2, 128 * unit.MiB},
		"large caches":  {0, l3(256 * unit.MiB), 64 * unit.GiB, 2, unit.GiB},
		"little memory": {0, l3(256 * unit.MiB), unit.GiB, 2, 128 * unit.MiB},
		"many nodes":    {0, l3(256 * unit.MiB), 64 * unit.GiB, 16, unit.GiB},
		"none":          {0, nil, unit.MiB, 2, 0},
		"as said":       {9 * unit.MiB, nil, unit.GiB, 2, 8 * unit.MiB},
	} {
		if got := memorySize(try.size, try.caches, int64(try.available), try.buffers); got != try.want {
			t.Errorf("%s: got %s, want %s", name, got, try.want)
		}
	}
}

const smaps = `7f0000000000-7f0010000000 rw-p 00000000 00:00 0 
Size:             262144 kB
KernelPageSize:        4 kB
AnonHugePages:    196608 kB
VmFlags: rd wr mr mw me ac hg
7f0020000000-7f0030000000 rw-p 00000000 00:00 0 
Size:             262144 kB
AnonHugePages:         0 kB
`

func TestHugeShare(t *testing.T) {
	for address, want := range map[uint64]float64{0x7f0000000000: 0.75, 0x7f000fffffff: 0.75, 0x7f0010000000: 0, 0x7f0020000000: 0, 1: 0} {
		if got := hugeShare(smaps, address); got != want {
			t.Errorf("%x: got %g, want %g", address, got, want)
		}
	}
}

func FuzzHugeShare(f *testing.F) {
	f.Add(smaps, uint64(0x7f0000000000))
	f.Add("0-1\nSize: NaN kB\nAnonHugePages: 5 kB\n", uint64(0))
	f.Fuzz(func(t *testing.T, text string, address uint64) {
		if share := hugeShare(text, address); !(share >= 0 && share <= 1) {
			t.Errorf("%g", share)
		}
	})
}
