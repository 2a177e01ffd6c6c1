package merge

import (
	"fmt"

	"plinth/internal/driver/latency"
	"plinth/internal/record"
)

// mergeResults merges the results of parts that are alike. A test lists, field by field, how
// each is merged.
func mergeResults(parts []Part) (record.Result, error) {
	r := record.Result{Loop: parts[0].Outcome.Result.Loop}
	var latencies []counted
	var lags []countedLag
	for _, p := range parts {
		one := p.Outcome.Result
		r.Duration = max(r.Duration, one.Duration)
		r.Transactions += one.Transactions
		r.Failures += one.Failures
		r.Retries += one.Retries
		r.Skipped += one.Skipped
		r.Late += one.Late
		r.Partial = r.Partial || one.Partial
		latencies = append(latencies, counted{one.Transactions, one.Latency})
		lags = append(lags, countedLag{one.Transactions, one.Lag})
	}
	r.TPS = perSecond(r.Transactions, r.Duration)
	r.Lag, r.Hits = mergeLags(lags), mergeHits(parts)
	r.Statements = mergeStatements(parts)
	var err error
	if r.Latency, err = mergeLatencies(latencies); err != nil {
		return r, err
	}
	r.Scripts, err = mergeScripts(parts, r.Duration)
	return r, err
}

// mergeScripts merges the results of each script. All parts have the same scripts.
func mergeScripts(parts []Part, seconds float64) ([]record.ScriptResult, error) {
	var merged []record.ScriptResult
	for i, script := range parts[0].Outcome.Result.Scripts {
		r := record.ScriptResult{Name: script.Name}
		var latencies []counted
		var lags []countedLag
		for _, p := range parts {
			one := p.Outcome.Result.Scripts[i]
			r.Transactions += one.Transactions
			r.Failures += one.Failures
			r.Retries += one.Retries
			r.Skipped += one.Skipped
			r.Late += one.Late
			latencies = append(latencies, counted{one.Transactions, one.Latency})
			lags = append(lags, countedLag{one.Transactions, one.Lag})
		}
		r.TPS, r.Lag = perSecond(r.Transactions, seconds), mergeLags(lags)
		var err error
		if r.Latency, err = mergeLatencies(latencies); err != nil {
			return nil, fmt.Errorf("script %s: %w", r.Name, err)
		}
		merged = append(merged, r)
	}
	return merged, nil
}

func perSecond(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// weighted is a mean of values that come with counts.
type weighted struct{ sum, count float64 }

func (w *weighted) add(value, count float64) {
	w.sum += value * count
	w.count += count
}

// counted is the latency of a number of transactions.
type counted struct {
	n int64
	record.Latency
}

// mergeLatencies merges histograms, and summarises the merged one as drivers do theirs: mean,
// minimum and maximum are exact, and merged from the exact ones; all else is the histogram's. The
// deviation, too: combined from the parts' deviations it would be the same, if the means were the
// histograms' (a test compares the two), but these means are exact ones. A figure of a single part
// is its own: redis-benchmark's percentiles are more exact than its histogram.
func mergeLatencies(all []counted) (record.Latency, error) {
	var with []counted
	for _, one := range all {
		if one.n > 0 {
			with = append(with, one)
		}
	}
	switch len(with) {
	case 0:
		return record.Latency{}, nil
	case 1:
		return with[0].Latency, nil
	}
	var mean weighted
	merged, least, most := record.NewHistogram(), with[0].Min, int64(0)
	for _, one := range with {
		h, err := one.Decode()
		if err != nil {
			return record.Latency{}, err
		}
		if h.TotalCount() == 0 {
			return record.Latency{}, fmt.Errorf("%d transactions have no histogram", one.n)
		}
		merged.Merge(h)
		mean.add(one.Mean, float64(one.n))
		least, most = min(least, one.Min), max(most, one.Max)
	}
	l := latency.Summarise(merged, mean.sum/mean.count, most)
	l.Min = least
	return l, nil
}

// countedLag is the schedule lag of a number of transactions.
type countedLag struct {
	n int64
	*record.Lag
}

// mergeLags returns nil if no part has a lag.
func mergeLags(all []countedLag) *record.Lag {
	var merged *record.Lag
	var mean weighted
	for _, one := range all {
		if one.Lag == nil {
			continue
		}
		if merged == nil {
			merged = &record.Lag{}
		}
		merged.Max = max(merged.Max, one.Max)
		mean.add(one.Mean, float64(one.n))
	}
	if merged != nil && mean.count > 0 {
		merged.Mean = mean.sum / mean.count
	}
	return merged
}

// mergeHits returns the share of all key reads that found a value; nil if it is unknown for some of
// them, or if no key was read.
func mergeHits(parts []Part) *float64 {
	var share weighted
	for _, p := range parts {
		hits, reads := p.Outcome.Result.Hits, p.Outcome.KeyReads
		if hits == nil {
			continue
		}
		if reads <= 0 {
			return nil
		}
		share.add(*hits, float64(reads))
	}
	if share.count == 0 {
		return nil
	}
	merged := share.sum / share.count
	return &merged
}

// mergeStatements merges the means of statements. pgbench does not print how often each was
// executed, warm-up included: the part of its script in the window's transactions stands for that.
// It returns nil if the parts printed different statements.
func mergeStatements(parts []Part) []record.StatementMean {
	if !sameStatements(parts) {
		return nil
	}
	var merged []record.StatementMean
	for i, one := range parts[0].Outcome.Result.Statements {
		var mean, plain weighted
		for _, p := range parts {
			value := p.Outcome.Result.Statements[i].Mean
			mean.add(value, float64(transactions(p.Outcome.Result, one.Script)))
			plain.add(value, 1)
		}
		if mean.count == 0 { // nothing was measured: the means are those of warm-ups
			mean = plain
		}
		one.Mean = mean.sum / mean.count
		merged = append(merged, one)
	}
	return merged
}

// transactions returns those of a script; of all if it is the only one.
func transactions(r record.Result, script string) int64 {
	for _, s := range r.Scripts {
		if s.Name == script {
			return s.Transactions
		}
	}
	return r.Transactions
}

// sameStatements reports whether all parts have the same statements, in the same order.
func sameStatements(parts []Part) bool {
	first := parts[0].Outcome.Result.Statements
	for _, p := range parts {
		others := p.Outcome.Result.Statements
		if len(others) != len(first) {
			return false
		}
		for i, s := range others {
			if s.Script != first[i].Script || s.Statement != first[i].Statement {
				return false
			}
		}
	}
	return true
}
