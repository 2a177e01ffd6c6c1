package compare

import (
	"slices"
	"strconv"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// VerdictFields returns one row per verdict for CSV, with exact numbers in the units of the
// record. An invalid verdict has no numbers. The last column names the environments whose numbers
// others measured.
func VerdictFields(c *verdict.Comparison) prose.Table {
	var t prose.Table
	for _, title := range []string{
		"workload", "clients", "threads", "rate", "cells", "metric", "baseline", "other",
		"baseline_value", "other_value", "n", "effect", "difference", "low", "high", "level", "p", "verdict", "warnings", "imported",
	} {
		t.Columns = append(t.Columns, prose.Column{Title: title})
	}
	for _, v := range slices.Concat(c.Verdicts, c.OtherPairs, c.Cells, c.OtherCells) {
		var imported []string
		for _, name := range []string{v.Baseline, v.Other} {
			if slices.Contains(c.Imported, name) {
				imported = append(imported, prose.Clean(name))
			}
		}
		t.Rows = append(t.Rows, append(fields(v), strings.Join(imported, "; ")))
	}
	return t
}

func fields(v record.Verdict) []string {
	row := append([]string{prose.Clean(v.Workload)}, about(v)...)
	row = append(row, strconv.Itoa(v.Cells), prose.Clean(v.Metric), prose.Clean(v.Baseline), prose.Clean(v.Other))
	numbers := make([]string, 9)
	if HasNumber(v) {
		numbers = []string{
			phrase.Exact(v.A), phrase.Exact(v.B), strconv.Itoa(v.N), phrase.Exact(v.Effect), strconv.FormatBool(v.Difference),
			phrase.Exact(v.Low), phrase.Exact(v.High), phrase.Exact(v.Level), phrase.Exact(v.P),
		}
	}
	return append(append(row, numbers...), prose.Clean(string(v.Outcome)), prose.Clean(strings.Join(phrase.Notes("", Weakening(v.Warnings)), "; ")))
}

// about returns the clients, threads and rate of a verdict; each is empty if it covers several.
func about(v record.Verdict) []string {
	row, fields := VerdictRow{Verdict: v}, make([]string, 3)
	if row.clients() > 0 {
		fields[0] = strconv.Itoa(row.clients())
	}
	if row.threads() > 0 {
		fields[1] = strconv.Itoa(row.threads())
	}
	if row.rate() > 0 {
		fields[2] = phrase.Exact(row.rate())
	}
	return fields
}
