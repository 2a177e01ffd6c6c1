package pgbench

import (
	"errors"
	"fmt"
	"math"
	"time"

	"plinth/internal/capture"
	"plinth/internal/driver/latency"
	"plinth/internal/record"
)

// Threads adds up the logs of a run's threads, of which pgbench writes one each: PREFIX.PID,
// PREFIX.PID.1, .... They may be transaction logs or aggregated logs. Percentiles are of the merged
// histograms. Progress has the seconds (intervals) that every thread has, without percentiles, which
// cannot be added.
func Threads(runs []capture.Run) (capture.Run, error) {
	if len(runs) == 0 {
		return capture.Run{}, errors.New("there is no log")
	}
	if len(runs) == 1 {
		one := runs[0]
		one.Threads = 1
		return one, nil
	}
	if err := together(runs); err != nil {
		return capture.Run{}, err
	}
	all := runs[0]
	all.Threads, all.Clients = len(runs), 0
	all.Options, all.Known = map[string]string{}, map[string]bool{}
	began, ended := runs[0].Began.Time, end(&runs[0])
	var parts []*record.Result
	for i := range runs {
		run := &runs[i]
		all.Clients += run.Clients
		for name, value := range run.Options {
			all.Options[name] = value
		}
		for name, known := range run.Known {
			all.Known[name] = all.Known[name] || known
		}
		if run.Began.Time.Before(began) {
			began = run.Began.Time
		}
		if end(run).After(ended) {
			ended = end(run)
		}
		parts = append(parts, &run.Result)
	}
	all.Began.Time = began
	var err error
	if all.Result, err = added(parts, ended.Sub(began).Seconds()); err != nil {
		return capture.Run{}, err
	}
	all.Progress = addedSeries(runs)
	return all, nil
}

func end(run *capture.Run) time.Time {
	return run.Began.Time.Add(time.Duration(run.Result.Duration * float64(time.Second)))
}

// together checks that runs can be the threads of one run.
func together(runs []capture.Run) error {
	for i := range runs {
		run := &runs[i]
		switch {
		case run.Began.Clock != capture.UTC || run.Result.Transactions == 0 && run.Result.TPS == 0 && run.Result.Failures == 0:
			return fmt.Errorf("log %d is not one of a thread", i+1)
		case (run.Result.Latency.Histogram == "") != (runs[0].Result.Latency.Histogram == "") && run.Result.Transactions > 0 && runs[0].Result.Transactions > 0:
			return errors.New("some logs are of transactions, others are aggregated")
		case run.Result.Loop != runs[0].Result.Loop && run.Result.Loop != "" && runs[0].Result.Loop != "":
			return errors.New("some logs have a schedule lag, others have none")
		}
		for j := range i {
			if run.Began.Time.After(end(&runs[j])) || runs[j].Began.Time.After(end(run)) {
				return fmt.Errorf("logs %d and %d are not of the same run: one begins after the other ends", j+1, i+1)
			}
		}
	}
	return nil
}

// added adds results that were measured at the same time.
func added(parts []*record.Result, seconds float64) (record.Result, error) {
	all := record.Result{Loop: parts[0].Loop, Duration: seconds}
	var latencies []record.Latency
	var counts []int64
	var lags []*record.Lag
	scripts := map[string][]*record.ScriptResult{}
	var names []string
	for _, r := range parts {
		if all.Loop == "" {
			all.Loop = r.Loop
		}
		all.Transactions += r.Transactions
		all.TPS += r.TPS
		all.Failures += r.Failures
		all.Retries += r.Retries
		all.Skipped += r.Skipped
		latencies, counts, lags = append(latencies, r.Latency), append(counts, r.Transactions), append(lags, r.Lag)
		for i := range r.Scripts {
			name := r.Scripts[i].Name
			if scripts[name] == nil {
				names = append(names, name)
			}
			scripts[name] = append(scripts[name], &r.Scripts[i])
		}
	}
	if latencies[0].Histogram != "" && seconds > 0 {
		all.TPS = float64(all.Transactions) / seconds
	} else if all.TPS > 0 {
		all.Duration = float64(all.Transactions) / all.TPS
	}
	var err error
	if all.Latency, err = addedLatency(latencies, counts); err != nil {
		return all, err
	}
	all.Lag = addedLag(lags, counts)
	for _, name := range names {
		one, err := addedScript(scripts[name], seconds)
		if err != nil {
			return all, err
		}
		all.Scripts = append(all.Scripts, one)
	}
	return all, nil
}

func addedScript(parts []*record.ScriptResult, seconds float64) (record.ScriptResult, error) {
	all := record.ScriptResult{Name: parts[0].Name}
	var latencies []record.Latency
	var counts []int64
	var lags []*record.Lag
	for _, s := range parts {
		all.Transactions += s.Transactions
		all.Failures += s.Failures
		all.Retries += s.Retries
		all.Skipped += s.Skipped
		latencies, counts, lags = append(latencies, s.Latency), append(counts, s.Transactions), append(lags, s.Lag)
	}
	all.TPS = perSecond(all.Transactions, seconds)
	all.Lag = addedLag(lags, counts)
	var err error
	all.Latency, err = addedLatency(latencies, counts)
	return all, err
}

// addedLatency returns the latency of all transactions. Without histograms, mean and deviation follow
// from those of the parts.
func addedLatency(parts []record.Latency, counts []int64) (record.Latency, error) {
	h := record.NewHistogram()
	sum, squares, n := 0.0, 0.0, 0.0
	all := record.Latency{Min: math.MaxInt64}
	for i, p := range parts {
		if counts[i] == 0 {
			continue
		}
		if p.Histogram != "" {
			one, err := p.Decode()
			if err != nil {
				return all, fmt.Errorf("cannot add latencies: %w", err)
			}
			h.Merge(one)
		}
		weight := float64(counts[i])
		sum += weight * p.Mean
		squares += weight * (p.Stddev*p.Stddev + p.Mean*p.Mean)
		n += weight
		all.Min, all.Max = min(all.Min, p.Min), max(all.Max, p.Max)
	}
	if n == 0 {
		return record.Latency{}, nil
	}
	all.Mean = sum / n
	all.Stddev = math.Sqrt(max(squares/n-all.Mean*all.Mean, 0))
	if h.TotalCount() == 0 {
		return all, nil
	}
	return latency.Summarise(h, all.Mean, all.Max), nil
}

func addedLag(parts []*record.Lag, counts []int64) *record.Lag {
	var all *record.Lag
	n := 0.0
	for i, p := range parts {
		if p == nil {
			continue
		}
		if all == nil {
			all = &record.Lag{}
		}
		all.Mean += p.Mean * float64(counts[i])
		all.Max = max(all.Max, p.Max)
		n += float64(counts[i])
	}
	if n > 0 {
		all.Mean /= n
	}
	return all
}
