package perf

import "math"

// sample is a reading of one event on one CPU.
type sample struct {
	value uint64
	Times
}

// growth returns how many times an event happened between two readings. If it was counted for a
// part of the time only, the number is extrapolated: count * enabled / running
// (perf_event_open(2)). All differences are taken modulo 2^64, the width of the fields, so a
// counter may wrap around.
//
// waiting is the time, in nanoseconds, in which the event was to be counted and never was; the
// growth is then unknown until a later reading. back reports that a counter decreased.
func growth(before, now sample) (n float64, waiting uint64, back bool) {
	count, enabled, running := now.value-before.value, now.Enabled-before.Enabled, now.Running-before.Running
	switch {
	case count > math.MaxInt64 || enabled > math.MaxInt64 || running > math.MaxInt64:
		return 0, 0, true
	case running == 0:
		return float64(count), enabled, false
	case running >= enabled:
		return float64(count), 0, false
	}
	return float64(count) * (float64(enabled) / float64(running)), 0, false
}

// meter adds up one event on one CPU.
type meter struct {
	base  sample // up to which the total is known
	begun bool
	total float64
}

// add takes a reading, and returns the results of growth. While an event waits, the total stays as
// it is, and the next reading that has counted it is extrapolated to the whole time.
func (m *meter) add(now sample) (waiting uint64, back bool) {
	if !m.begun {
		m.base, m.begun = now, true
		return 0, false
	}
	n, waiting, back := growth(m.base, now)
	if waiting > 0 {
		return waiting, false
	}
	m.total += n
	m.base = now
	return 0, back
}
