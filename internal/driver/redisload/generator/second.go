package generator

import "plinth/internal/driver/latency"

// Sums holds what one script did in a second. Times are in nanoseconds.
type Sums struct {
	Done     int64 // requests that were answered without an error
	Failures int64
	Latency  int64 // sum over Done
	Longest  int64
	Lag      int64 // delay from due to sent: sum over Done
	WorstLag int64
	Reads    int64 // of keys that may not exist, among Done
	Hits     int64 // those of them that found a key
}

// Merge adds other sums, of the same second or another one.
func (s *Sums) Merge(o *Sums) {
	s.Done += o.Done
	s.Failures += o.Failures
	s.Latency += o.Latency
	s.Longest = max(s.Longest, o.Longest)
	s.Lag += o.Lag
	s.WorstLag = max(s.WorstLag, o.WorstLag)
	s.Reads += o.Reads
	s.Hits += o.Hits
}

// Part is one script's share of a second.
type Part struct {
	Sums
	Latencies *latency.Counts
}

// Second holds what happened in one second. A request belongs to the second in which its reply
// arrived.
type Second struct {
	Number int64 // from the start of the window; those of the warm-up are negative
	Begin  int64 // nanoseconds since the load began
	End    int64
	Parts  []Part  // one for each script
	CPU    []int64 // CPU time of each thread, nanoseconds
}

// NewSecond returns a second for that many scripts.
func NewSecond(scripts int) *Second {
	s := &Second{Parts: make([]Part, scripts)}
	for i := range s.Parts {
		s.Parts[i].Latencies = latency.New()
	}
	return s
}

func (s *Second) reset() {
	s.CPU = s.CPU[:0]
	for i := range s.Parts {
		s.Parts[i].Latencies.Reset()
		s.Parts[i].Sums = Sums{}
	}
}

// merge adds what another thread did in the same second.
func (s *Second) merge(o *Second) {
	s.End = max(s.End, o.End)
	s.CPU = append(s.CPU, o.CPU...)
	for i := range s.Parts {
		s.Parts[i].Merge(&o.Parts[i].Sums)
		s.Parts[i].Latencies.Merge(o.Parts[i].Latencies)
	}
}

// secondOf returns the number of the second that contains a moment, both counted from the
// start of the window.
func secondOf(nanos int64) int64 {
	n := nanos / oneSecond
	if nanos%oneSecond < 0 {
		n--
	}
	return n
}

const oneSecond = int64(1_000_000_000)
