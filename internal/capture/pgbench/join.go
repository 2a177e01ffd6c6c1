package pgbench

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Join completes a run that a summary describes with its log: with the latency's percentiles and
// histogram, the seconds, and the time. Counts and TPS are the summary's, which knows all transactions
// even if the log is a sample (--sampling-rate) or lacks the last interval (--aggregate-interval). Notes
// say where the two disagree. Join fails if they cannot be of the same run.
func Join(summary, log capture.Run) (capture.Run, []record.Note, error) {
	if summary.Clients > 0 && log.Clients > summary.Clients {
		return summary, nil, fmt.Errorf("cannot join the summary with the log: it is of %d clients, the log of %d", summary.Clients, log.Clients)
	}
	if summary.Result.Loop != "" && log.Result.Loop != "" && summary.Result.Loop != log.Result.Loop {
		return summary, nil, fmt.Errorf("cannot join the summary with the log: its loop is %s, that of the log is %s", summary.Result.Loop, log.Result.Loop)
	}
	run, notes := summary, disagreements(&summary.Result, &log)
	run.Began = log.Began
	if len(log.Progress.Columns) > 0 {
		run.Progress = log.Progress
	}
	if log.Result.Latency.Mean > 0 {
		run.Result.Latency = log.Result.Latency
	}
	run.Result.Scripts = append([]record.ScriptResult(nil), summary.Result.Scripts...)
	for _, one := range log.Result.Scripts {
		number, err := strconv.Atoi(strings.TrimPrefix(one.Name, "script "))
		if err == nil && number < len(run.Result.Scripts) {
			run.Result.Scripts[number].Latency, run.Result.Scripts[number].Lag = one.Latency, one.Lag
		}
	}
	run.Options = map[string]string{}
	for _, options := range []map[string]string{log.Options, summary.Options} {
		for name, value := range options {
			run.Options[name] = value
		}
	}
	return run, notes, nil
}

// disagreements compares a summary with its log. The means have three decimals of a millisecond in the
// summary, and an aggregated log lacks an interval.
func disagreements(summary *record.Result, log *capture.Run) (notes []record.Note) {
	add := func(format string, args ...any) {
		notes = append(notes, record.Note{Rule: capture.Contradiction, Text: fmt.Sprintf(format, args...)})
	}
	logged, processed := float64(log.Result.Transactions), float64(summary.Transactions)
	_, sampled := log.Options["sampling rate"]
	_, aggregated := log.Options["aggregate interval"]
	least, most := processed, processed
	switch {
	case sampled:
		least, most = processed*(1-tolerance), processed*(1+tolerance)
	case aggregated:
		least = 0
	}
	if processed > 0 && (logged < least || logged > most) {
		add("the log has %s transactions, but the summary has %s", grouped(logged, 0), grouped(processed, 0))
	}
	mean, stated := log.Result.Latency.Mean, summary.Latency.Mean
	if mean == 0 || stated == 0 || summary.Latency.Stddev == 0 {
		return notes // without a deviation, pgbench computes the mean from clients and TPS
	}
	allowed := 0.01*stated + 0.001e6
	if sampled || aggregated {
		allowed += tolerance * stated
	}
	if math.Abs(mean-stated) > allowed {
		add("the mean latency of the log is %s ms, but the latency average is %s ms", grouped(mean/1e6, 3), grouped(stated/1e6, 3))
	}
	return notes
}
