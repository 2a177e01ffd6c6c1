package perf

// Count holds the last reading of an event: sums over all CPUs since the first reading.
type Count struct {
	// Total is the number of times that the event happened. It is extrapolated if the event was not counted
	// all of the time, that is, if Running grows more slowly than Enabled.
	Total float64

	// Enabled is how long the event was to be counted, and Running how long it was, in seconds,
	// summed over CPUs.
	Enabled, Running float64

	// Unknown is why this reading has no usable total; "" if it has one.
	Unknown string

	next sum
	last sum
}

// sum is a reading in progress.
type sum struct {
	total            float64
	enabled, running float64 // nanoseconds
	waiting          float64 // of enabled, on CPUs where the event was never counted
	back             bool
}

// most is the largest share of the time since the last reading for which an event may be waiting to
// be counted on some CPUs. It bounds how much a later reading adds for that time.
const most = 0.1

// Reasons for a reading without a total.
const (
	wentBack = "a counter of the processor went back"
	waited   = "the event was not counted on all CPUs: other events had the counters of the processor"
)

func (c *Count) begin() { c.next = sum{} }

func (c *Count) add(total float64, times Times, waiting uint64, back bool) {
	s := &c.next
	s.total += total
	s.enabled, s.running = s.enabled+float64(times.Enabled), s.running+float64(times.Running)
	s.waiting += float64(waiting)
	s.back = s.back || back
}

// end makes the reading the current one.
func (c *Count) end() {
	now := c.next
	c.Total, c.Enabled, c.Running, c.Unknown = now.total, now.enabled/1e9, now.running/1e9, ""
	switch {
	case now.back:
		c.Unknown = wentBack
	case now.waiting > most*(now.enabled-c.last.enabled):
		c.Unknown = waited
	}
	c.last = now
}
