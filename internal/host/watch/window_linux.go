package watch

import (
	"errors"
	"sort"
	"time"
)

// clocks returns the time of a monotonic clock and of the wall clock.
type clocks struct {
	began time.Time
	now   func() (sinceBegan time.Duration, wall time.Time)
}

var errTooFewReadings = errors.New("cannot determine the machine's load: it was not read twice in this time")

// Between returns the usage between the first and the last reading from begin to end. If
// there are fewer than two, because the window is shorter than the interval, it uses the
// readings around it. It returns an error if there are not two readings.
//
// Times with a monotonic reading are compared by that. Other times, such as those from a
// log, are wall clock times: they refer to the first moment at which this machine's clock
// showed them, or passed them when it was set forward.
func (w *Watch) Between(begin, end time.Time) (Usage, error) {
	w.mu.Lock()
	readings := w.readings // only ever appended to
	w.mu.Unlock()
	from, to := w.clock.moment(readings, begin), w.clock.moment(readings, end)
	readings = window(readings, from, to)
	if len(readings) < 2 || to < from {
		return Usage{}, errTooFewReadings
	}
	return usage(readings), nil
}

// window returns the readings from begin to end or, if there are fewer than two, those from
// the last before begin to the first after end.
func window(readings []reading, begin, end time.Duration) []reading {
	first := sort.Search(len(readings), func(i int) bool { return readings[i].at >= begin })
	after := sort.Search(len(readings), func(i int) bool { return readings[i].at > end })
	if after-first >= 2 {
		return readings[first:after]
	}
	if first > 0 && (first == len(readings) || readings[first].at > begin) {
		first--
	}
	if after < len(readings) && (after == 0 || readings[after-1].at < end) {
		after++
	}
	return readings[min(first, after):after]
}

// moment returns t on the monotonic clock.
func (c clocks) moment(readings []reading, t time.Time) time.Duration {
	if t != t.Round(0) { // it has a monotonic reading
		return t.Sub(c.began)
	}
	for i, r := range readings {
		at := r.at + t.Sub(r.wall)
		if at >= r.at && (i == len(readings)-1 || at < readings[i+1].at) {
			return at
		}
	}
	return neverShown(readings, t)
}

// neverShown returns the moment of a time that the wall clock did not show: it was before
// the first reading, or the clock was set forward over it.
func neverShown(readings []reading, t time.Time) time.Duration {
	for i := 1; i < len(readings); i++ {
		if readings[i-1].wall.Before(t) && t.Before(readings[i].wall) {
			return readings[i].at
		}
	}
	if len(readings) == 0 {
		return 0 // and no window
	}
	return readings[0].at + t.Sub(readings[0].wall)
}
