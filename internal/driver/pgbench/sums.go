package pgbench

import (
	"plinth/internal/driver/pgbench/txlog"
	"plinth/internal/record"
)

// sums counts what happened to a set of transactions. Times are in microseconds.
type sums struct {
	done     int64 // ended successfully
	failures int64
	retried  int64 // transactions that needed more than one try
	retries  int64 // tries beyond the first
	skipped  int64
	late     int64 // slower than the latency limit
	latency  int64 // sum over done
	longest  int64
	lag      int64 // sum over done
	worstLag int64
}

// add counts one transaction as pgbench itself does (accumStats): retries of a failed
// transaction count, latency and lag only for a successful one. limit is the latency limit,
// 0 for none.
func (s *sums) add(e *txlog.Entry, limit int64) {
	if e.Outcome == txlog.Skipped {
		s.skipped++
		return
	}
	if e.Retries > 0 {
		s.retried++
		s.retries += e.Retries
	}
	if e.Outcome == txlog.Failed {
		s.failures++
		return
	}
	s.done++
	s.latency += e.Micros
	s.longest = max(s.longest, e.Micros)
	s.lag += e.Lag
	s.worstLag = max(s.worstLag, e.Lag)
	if limit > 0 && e.Micros > limit {
		s.late++
	}
}

func (s *sums) merge(o *sums) {
	s.done += o.done
	s.failures += o.failures
	s.retried += o.retried
	s.retries += o.retries
	s.skipped += o.skipped
	s.late += o.late
	s.latency += o.latency
	s.longest = max(s.longest, o.longest)
	s.lag += o.lag
	s.worstLag = max(s.worstLag, o.worstLag)
}

// total returns the sums of all scripts together.
func total(scripts []sums) (all sums) {
	for i := range scripts {
		all.merge(&scripts[i])
	}
	return all
}

func (s *sums) scheduleLag() *record.Lag {
	l := &record.Lag{Max: s.worstLag * 1000}
	if s.done > 0 {
		l.Mean = nanos(s.lag) / float64(s.done)
	}
	return l
}
