package pgbench

import (
	"plinth/internal/driver/latency"
	"plinth/internal/driver/pgbench/txlog"
)

// sums counts transactions, as pgbench itself does (accumStats): retries of a failed transaction count,
// latency and lag only for a successful one. Times are in microseconds.
type sums struct {
	done, failures, skipped int64
	latency, longest        int64
	lag, worstLag           int64
	seventh                 int64 // the seventh field, if it counts retries
	retries                 int64
}

func (s *sums) add(e *txlog.Entry) {
	switch e.Outcome {
	case txlog.Skipped:
		s.skipped++
		return
	case txlog.Failed:
		s.failures++
	default:
		s.done++
		s.latency += e.Micros
		s.longest = max(s.longest, e.Micros)
		s.lag += e.Lag
		s.worstLag = max(s.worstLag, e.Lag)
	}
	s.seventh += e.Lag
	s.retries += e.Retries
}

// tally counts transactions with their latencies.
type tally struct {
	sums   sums
	counts *latency.Counts
}

func (t *tally) latencies() *latency.Counts {
	if t.counts == nil {
		t.counts = latency.New()
	}
	return t.counts
}

func (t *tally) add(e *txlog.Entry) {
	t.sums.add(e)
	if e.Outcome == txlog.Succeeded {
		t.latencies().Add(e.Micros * 1000)
	}
}

// second is a row of a log's timeline: one second of the clock.
type second struct {
	sums
	shown [4]float64 // percentiles in nanoseconds
}

// seconds divides a log into seconds of the clock, so that the seconds of several threads are the same.
// The lines of one thread are in the order of their ends, so only the current second has a histogram.
type seconds struct {
	first   int64 // number of the first second, since the epoch
	rows    []second
	now     int             // the row of the current second
	counts  *latency.Counts // of the current second
	behind  int64           // lines that belong to a row before the current one
	outside int64           // lines without a row
	loose   bool            // the current line is not of the current second
}

func (s *seconds) begin(end int64) {
	s.first = end / micro
	s.rows = append(s.rows, second{})
	s.counts = latency.New()
}

// at returns the row of a transaction that ended at end; nil if there is none. It closes the current
// second if that is over.
func (s *seconds) at(end int64, all *tally) *sums {
	row := end/micro - s.first
	s.loose = row != int64(s.now)
	if !s.loose {
		return &s.rows[row].sums
	}
	switch {
	case row < 0 || row >= maxRows:
		s.outside++
		return nil
	case row < int64(s.now):
		s.behind++
		return &s.rows[row].sums
	}
	s.flush(all)
	for int64(len(s.rows)) <= row {
		s.rows = append(s.rows, second{})
	}
	s.now, s.loose = int(row), false
	return &s.rows[row].sums
}

// latency counts a latency of the transaction that at was called for.
func (s *seconds) latency(nanos int64, all *tally) {
	if s.loose {
		all.latencies().Add(nanos)
		return
	}
	s.counts.Add(nanos)
}

// flush closes the current second: its percentiles are known, and its latencies go to the total.
func (s *seconds) flush(all *tally) {
	if s.counts.Total() == 0 {
		return
	}
	row := &s.rows[s.now]
	row.shown = s.counts.Shown(float64(row.longest) * 1000)
	all.latencies().Merge(s.counts)
	s.counts.Reset()
}

// ordered reports whether the rows have their percentiles: hardly any line came after its second.
func (s *seconds) ordered(lines int64) bool { return s.behind*1000 <= lines }
