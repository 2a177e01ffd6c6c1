package probe

import (
	"fmt"
	"math"

	"plinth/internal/unit"
)

const (
	// likelyCache is the amount that a disk or its controller may cache in memory.
	likelyCache = 8 * unit.GiB
	// cachedSeconds is the bandwidth, in seconds of it, that a test file should exceed, so that no
	// cache affects the result (README of Longhorn's kbench, 2021, as of November 2026).
	cachedSeconds = 25
)

// sizeNotes returns at most one note about a test file so small that a cache can have served it: the
// note that asks for the larger file. virtual is the kind of virtual machine, "" for none. The page
// cache and memory have notes of their own.
func (r *Result) sizeNotes(virtual string) []Note {
	t := r.Target
	if t.place.InMemory || !t.Direct || t.Raw && t.Size == t.whole {
		return nil
	}
	bandwidth := r.most(Measurement.bytes)
	least := unit.Size(math.Ceil(cachedSeconds*bandwidth/float64(unit.GiB))) * unit.GiB
	small := virtual == "" && t.Size < likelyCache // the host of a virtual machine has more memory than that
	switch {
	case float64(t.Size) < cachedSeconds*bandwidth:
		if small {
			least = max(least, 2*likelyCache)
		}
		return []Note{{"small-for-bandwidth", fmt.Sprintf("the %s of %s holds %s of the measured bandwidth (%s), less than %ds: a cache can have served it",
			t.tested(), t.Size, latencyWords(float64(t.Size)/bandwidth), unit.Rate(bandwidth), cachedSeconds), t.larger(least)}}
	case small:
		return []Note{{"small-file", fmt.Sprintf("only %s of the disk were used, which may fit in a cache of the disk or its controller", t.Size), t.larger(2 * likelyCache)}}
	}
	return nil
}

// tested names what the loads read and write.
func (t Target) tested() string {
	if t.Raw {
		return "used part"
	}
	return "test file"
}

// larger returns the hint to use a test file of the given size, or of the largest possible one; "" if
// no larger one is possible.
func (t Target) larger(size unit.Size) string {
	largest := unit.Size(t.place.Free) / 2 // as sizeWithin allows
	if t.Raw {
		largest = t.whole
	}
	largest -= largest % unit.MiB
	switch {
	case size <= largest:
		return "use --size " + size.Exact()
	case largest > t.Size:
		return "use --size " + largest.Exact() + ", the largest possible one here"
	}
	return ""
}
