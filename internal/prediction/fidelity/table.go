package fidelity

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/prediction"
)

// Table returns the judged predictions as a table in Markdown.
func Table(all []Judged) string {
	var b strings.Builder
	b.WriteString("| environment | workload | clients | from | measured TPS | predicted TPS | error | p95 ms | predicted | error | replication |\n|---|---|---:|---:|---:|---|---:|---:|---:|---:|---:|\n")
	for _, j := range all {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %.0f | ", j.Environment, j.Workload, j.Clients, j.From, j.TPS)
		if j.Refused != "" {
			fmt.Fprintf(&b, "refused: %s | | | | | |\n", j.Refused)
			continue
		}
		fmt.Fprintf(&b, "%s | %+.0f %% | %.1f | ~%.1f | %+.0f %% | %.0f %% |\n", beside(j.Prediction.TPS, j.TPS), 100*j.Error(), 1e3*j.P95, 1e3*j.Prediction.P95.Value, 100*j.ErrorP95(), 100*j.Replicated)
	}
	return b.String()
}

// beside returns a predicted throughput with its interval. A measurement outside the interval is marked with *.
func beside(e prediction.Estimate, measured float64) string {
	mark := ""
	if measured < e.Low || measured > e.High {
		mark = "*"
	}
	return fmt.Sprintf("~%.0f (%.0f to %.0f)%s", e.Value, e.Low, e.High, mark)
}

// ByDevice returns the figures of each environment as a table in Markdown.
func ByDevice(all []Judged) string {
	groups := map[string][]Judged{}
	for _, j := range all {
		groups[j.Environment] = append(groups[j.Environment], j)
	}
	var b strings.Builder
	b.WriteString("| environment | cells | error, median | largest | p95 latency | intervals hold | by latency | by IOPS | by interpolation |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		s := Summarize(groups[name])
		largest := 0.0
		for _, j := range groups[name] {
			if j.Refused == "" {
				largest = max(largest, math.Abs(j.Error()))
			}
		}
		if s.Cells == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %.1f %% | %.0f %% | %.1f %% | %.0f of %d | %s | %s | %s |\n", name, s.Cells, 100*s.Median, 100*largest,
			100*s.MedianP95, s.Held*float64(s.Cells), s.Cells, percent(s.ByLatency), percent(s.ByIOPS), percent(s.ByInterpolation))
	}
	return b.String()
}

// percent returns a share in per cent, or "-" if it is unknown: a rule of thumb does not apply to every cell.
func percent(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
