package emulator

import (
	"time"

	"plinth/internal/device"
)

// Longest holds the longest single read, write and flush among those answered in some time; 0 if
// there was none. A latency runs from the arrival of the request to its answer, plus the calibrated
// cost of the path (Path). Time in the kernel's queue above the device is not part of it. A write
// that must be durable (FUA) is a write.
type Longest struct {
	Read  time.Duration `json:"read_ns,omitempty"`
	Write time.Duration `json:"write_ns,omitempty"`
	Flush time.Duration `json:"flush_ns,omitempty"`
}

// with returns the longest of l and o.
func (l Longest) with(o Longest) Longest {
	return Longest{max(l.Read, o.Read), max(l.Write, o.Write), max(l.Flush, o.Flush)}
}

// LongestSince returns the longest operations answered between readings a and b of one emulator, and
// whether they are known: not if more than 31 other readings lie between them.
func LongestSince(a, b Reading) (l Longest, known bool) {
	n := b.Number - a.Number
	if n < 0 || n > int64(len(b.Longest)) {
		return l, false
	}
	for _, one := range b.Longest[int64(len(b.Longest))-n:] {
		l = l.with(one)
	}
	return l, true
}

// intervals is how many intervals between readings an emulator remembers.
const intervals = 32

// history holds the longest operations of each of the last intervals between two readings, by any
// reader. Each reading reports all of these, and a reader combines those since its own previous
// reading. If a reading reset a single maximum, one reader would take it from another, and a lost
// answer would lose it. The difference of two histograms would serve any number of readers, too, but
// only to the width of a bucket.
type history struct {
	number int64 // readings so far
	of     [intervals]Longest
}

// add counts an operation of the current interval.
func (h *history) add(kind device.Kind, took time.Duration) {
	current := &h.of[h.number%intervals]
	switch kind {
	case device.Read:
		current.Read = max(current.Read, took)
	case device.Write:
		current.Write = max(current.Write, took)
	default:
		current.Flush = max(current.Flush, took)
	}
}

// read ends the current interval. It returns the number of readings including this one, and the
// intervals, oldest first.
func (h *history) read() (number int64, all []Longest) {
	h.number++
	for i := max(0, h.number-intervals); i < h.number; i++ {
		all = append(all, h.of[i%intervals])
	}
	h.of[h.number%intervals] = Longest{}
	return h.number, all
}
