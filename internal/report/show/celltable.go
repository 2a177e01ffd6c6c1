package show

import (
	"strconv"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// CellTable returns one row per environment and cell for CSV, with exact numbers in the units
// of the record (nanoseconds).
func (s *Numbers) CellTable() prose.Table {
	var t prose.Table
	for _, title := range []string{
		"environment", "workload", "clients", "threads", "rate", "blocks", "tps_mean", "tps_min", "tps_max",
		"latency_mean_ns", "latency_mean_min_ns", "latency_mean_max_ns",
		"latency_p50_ns", "latency_p95_ns", "latency_p99_ns", "latency_p99_9_ns", "latency_max_ns",
		"failures", "retries", "skipped", "late", "basis",
	} {
		t.Columns = append(t.Columns, prose.Column{Title: title, Right: true})
	}
	for _, e := range s.Environments {
		for _, c := range e.Cells {
			t.Rows = append(t.Rows, append(c.fields(e.Name), e.Basis))
		}
	}
	return t
}

func (c Cell) fields(environment string) []string {
	row := []string{environment, c.Workload, strconv.Itoa(c.Clients), strconv.Itoa(c.Threads), "", strconv.Itoa(c.Blocks)}
	if c.Rate > 0 {
		row[4] = phrase.Exact(c.Rate)
	}
	for _, r := range []Range{c.TPS, c.Latency} {
		row = append(row, phrase.Exact(r.Mean), phrase.Exact(r.Min), phrase.Exact(r.Max))
	}
	row = append(row, c.Percentiles.fields()...)
	for _, n := range []int64{c.Failures, c.Retries, c.Skipped, c.Late} {
		row = append(row, strconv.FormatInt(n, 10))
	}
	return row
}

// fields returns the percentiles as text; empty fields if no run has a histogram.
func (p *Percentiles) fields() []string {
	fields := make([]string, 5)
	if p == nil {
		return fields
	}
	for i, ns := range []int64{p.P50, p.P95, p.P99, p.P999, p.Max} {
		if ns > 0 { // 0 is unknown
			fields[i] = strconv.FormatInt(ns, 10)
		}
	}
	return fields
}
