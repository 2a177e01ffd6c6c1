package diagnosis

import (
	"math"
	"slices"

	"plinth/internal/diagnosis/share"
	"plinth/internal/figure/window"
)

// Cliff is a fall of throughput: to the end of the window, or for some of its seconds.
type Cliff struct {
	Second float64 `json:"second"` // of the window: the first one after the fall
	Before float64 `json:"tps_before"`
	After  float64 `json:"tps_after"` // medians
	// Until is the second from which throughput was as before again; nil if it was not.
	Until *float64 `json:"until,omitempty"`
	// Event is the name of the experiment's event that began then.
	Event string `json:"event,omitempty"`

	of float64 // the share of the window that it takes
}

// lost returns the share of the window's transactions that a fall cost.
func (c Cliff) lost() float64 { return c.of * (1 - c.After/max(c.Before, 1e-9)) }

const (
	// deep is the smallest fall of throughput that is a cliff, as a share of what it was.
	deep = 0.1

	// low is the share of the usual throughput below which a second belongs to a fall that passes.
	low = 0.5
)

// cliff looks for a fall of throughput, and returns the second from which the run is diagnosed.
func (d *Diagnosis) cliff(w *window.Window, timeline *share.Timeline, fewest int) (from float64) {
	from = d.fall(w, timeline, fewest)
	if d.Cliff != nil {
		for _, e := range w.Run.Events {
			if math.Abs(e.At-d.Cliff.Second) <= 1 { // a second is that in which it began, or the next
				d.Cliff.Event = e.Name
			}
		}
	}
	return from
}

// fall looks for a fall of throughput that lasts, and then for one that passes.
func (d *Diagnosis) fall(w *window.Window, timeline *share.Timeline, fewest int) (from float64) {
	tps := w.Of("tps")
	if tps.Why != "" || len(tps.Values) < window.FewestForDrop {
		return 0
	}
	k := window.ChangePoint(tps.Values)
	if k > 0 {
		before, after := window.Median(tps.Values[:k]), window.Median(tps.Values[k:])
		back := recovered(tps.Values[k:], (before+after)/2)
		if back == 0 && after <= (1-deep)*before {
			d.Cliff = &Cliff{Second: tps.Seconds[k], Before: before, After: after, of: 1 - float64(k)/float64(len(tps.Values))}
			return d.lasts(tps.Seconds[k], timeline, fewest)
		}
	}
	d.passes(tps)
	return 0
}

// lasts divides the time at a fall that lasts to the end of the window. What comes after it is diagnosed, if it is long
// enough.
func (d *Diagnosis) lasts(second float64, timeline *share.Timeline, fewest int) (from float64) {
	if _, why := timeline.Divide(second, math.Inf(1), fewest); why != "" {
		return 0
	}
	if division, why := timeline.Divide(0, second, fewest); why == "" {
		d.Before = &division
	}
	return second
}

// passes notes the longest fall that passes.
func (d *Diagnosis) passes(tps window.Series) {
	sorted := slices.Sorted(slices.Values(tps.Values))
	usual := sorted[len(sorted)*3/4]
	begin, end := 0, 0
	for i := 0; i < len(tps.Values); i++ {
		first := i
		for i < len(tps.Values) && tps.Values[i] < low*usual {
			i++
		}
		if i-first > end-begin {
			begin, end = first, i
		}
	}
	if end-begin < fewestAside || end == len(tps.Values) {
		return
	}
	until := tps.Seconds[end]
	d.Cliff = &Cliff{Second: tps.Seconds[begin], Before: usual, After: window.Median(tps.Values[begin:end]), Until: &until,
		of: float64(end-begin) / float64(len(tps.Values))}
}

// recovered returns after how many values they are above a limit for good; 0 if they do not stay there.
func recovered(values []float64, limit float64) int {
	last := len(values)
	for last > 0 && values[last-1] > limit {
		last--
	}
	if len(values)-last < fewestAside {
		return 0
	}
	return last
}
