package figure

import (
	"math"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// valueOf is a figure of a run, or a metric of its result.
func valueOf(run *record.Run, name string) number {
	if m, err := experiment.ParseMetric(name); err == nil && !m.Figure {
		return ofResult(run.Result, name)
	}
	if value, known := run.Figures[name]; known && !math.IsNaN(value) {
		return number{value: value}
	}
	for _, gap := range run.FigureGaps {
		if gap.What == name {
			return number{why: gap.Why}
		}
	}
	return number{why: "its record does not have that figure"}
}

// ofResult is a metric of the run as a whole, TPS in 1/s and latencies in ns.
func ofResult(r record.Result, name string) number {
	if r.Transactions <= 0 {
		return number{why: "no transaction ended in the window"}
	}
	switch name {
	case "tps":
		return number{value: r.TPS}
	case "latency":
		return number{value: r.Latency.Mean}
	case "p50":
		return number{value: float64(r.Latency.P50)}
	case "p95":
		return number{value: float64(r.Latency.P95)}
	case "p99":
		return number{value: float64(r.Latency.P99)}
	case "p99.9":
		return number{value: float64(r.Latency.P999)}
	}
	return number{value: float64(r.Failures) / (float64(r.Transactions) + float64(r.Failures))}
}
