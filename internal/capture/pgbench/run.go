package pgbench

import (
	"fmt"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// run returns the run that the output describes.
func (r *output) run() capture.Run {
	n := r.total.numbers
	run := capture.Run{
		Tool: tool, Version: r.version, Workload: workloadOf(r.total.words["type"]),
		Clients: int(n["clients"]), Threads: int(n["threads"]),
		Options: r.options(), Known: map[string]bool{},
		Result: r.result(), Began: r.progress.began(),
	}
	_, run.Reconnect = n["tps_reconnecting"]
	for field, name := range map[string]string{"failures": "failed", "retries": "retries", "skipped": "skipped", "late": "late"} {
		_, run.Known[field] = n[name]
	}
	run.Progress = r.progress.series()
	return run
}

func workloadOf(description string) string {
	if description == "" {
		return ""
	}
	return workload(description)
}

// result returns what was measured. Duration is the time to which the TPS refer: the one that
// pgbench prints is the argument of -T, and the last transactions end after it.
func (r *output) result() record.Result {
	n := r.total.numbers
	result := record.Result{
		Transactions: int64(n["processed"]), TPS: r.total.tps(), Duration: n["duration"],
		Failures: int64(n["failed"]), Retries: int64(n["retries"]), Skipped: int64(n["skipped"]), Late: int64(n["late"]),
		Latency: record.Latency{Mean: n["latency_ms"] * 1e6, Stddev: n["stddev_ms"] * 1e6},
	}
	if result.TPS > 0 && result.Transactions > 0 {
		result.Duration = n["processed"] / result.TPS
	}
	lag, isOpen := n["lag_ms"]
	switch {
	case isOpen:
		result.Loop = "open"
		result.Lag = &record.Lag{Mean: lag * 1e6, Max: int64(n["lag_max_ms"]*1e6 + 0.5)}
	case r.progress.has[pLag]:
		result.Loop = "open"
	case r.complete(), r.progress.rows() > 0:
		result.Loop = "closed"
	}
	if len(r.scripts) > 1 {
		for _, one := range r.scripts {
			result.Scripts = append(result.Scripts, one.result(r.total))
		}
	}
	for _, s := range r.statements {
		mean := record.StatementMean{Statement: s.text, Mean: s.mean}
		switch {
		case s.script >= 0 && len(r.scripts) > 1:
			mean.Script = workload(r.scripts[s.script].words["name"])
		case s.file > 0:
			mean.Script = fmt.Sprintf("file %d", s.file)
		}
		result.Statements = append(result.Statements, mean)
	}
	return result
}

// options returns what else the summary states of the load, in pgbench's words.
func (r *output) options() map[string]string {
	options := map[string]string{}
	for label, name := range map[string]string{
		"transaction type": "type", "scaling factor": "scale", "partition method": "method", "partitions": "partitions",
		"query mode": "mode", "maximum number of tries": "tries", "number of transactions per client": "each",
	} {
		if word := r.total.words[name]; word != "" {
			options[label] = word
		}
	}
	for label, value := range map[string]struct{ name, format string }{
		"duration":                {"duration", "%g s"},
		"initial connection time": {"connecting_ms", "%.3f ms"},
		"average connection time": {"reconnecting_ms", "%.3f ms"},
		"latency limit":           {"limit_ms", "%.1f ms"},
	} {
		if n, ok := r.total.numbers[value.name]; ok {
			options[label] = fmt.Sprintf(value.format, n)
		}
	}
	if r.server != "" {
		options["server"] = r.server
	}
	if names := r.total.rates(); len(names) > 1 {
		options["tps (including connections establishing)"] = fmt.Sprintf("%f", r.total.numbers["tps_including"])
	}
	for _, one := range r.scripts {
		if weight := one.words["weight"]; weight != "" && len(r.scripts) > 1 {
			options["weight of "+workload(one.words["name"])] = weight
		}
	}
	return options
}

// facts returns counts for which a run has no place.
func (r *output) facts() (facts []capture.Fact) {
	add := func(name string, value int64) {
		facts = append(facts, capture.Fact{Source: tool, Name: name, Value: fmt.Sprint(value)})
	}
	for _, c := range []struct{ name, label string }{
		{"serialization", "number of serialization failures"}, {"deadlock", "number of deadlock failures"}, {"retried", "number of transactions retried"},
	} {
		if n, ok := r.total.numbers[c.name]; ok {
			add(c.label, int64(n))
		}
	}
	for _, s := range r.statements {
		if s.failures > 0 {
			add("failures of "+s.text, s.failures)
		}
		if s.retries > 0 {
			add("retries of "+s.text, s.retries)
		}
	}
	return facts
}
