package compare_test

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

func invalid(metric string) record.Verdict {
	return record.Verdict{Workload: "tpcb-like", Metric: metric, Baseline: "disk", Other: "memory", P: 1, Outcome: record.Unfit, Asked: true}
}

func p99(v *record.Verdict) { v.Metric, v.A, v.B = "p99", 13.41e6, 9.21e6 }

// TestATitleIsOfEveryRow checks that the metric in a title holds for rows without a number,
// too.
func TestATitleIsOfEveryRow(t *testing.T) {
	c := Report(invalid("tps"), with(ratio("tpcb-like", 1, 2, -0.38, -0.24, 24, ""), p99))
	for _, width := range []int{60, 80} {
		text := reporttest.Compared(t, c, "text", summary.Options{Width: width})
		if strings.Contains(text, "p99 latency, ") && !strings.Contains(text, "tpcb-like, TPS: invalid") {
			t.Errorf("TPS stands in a table of latency:\n%s", text)
		}
		if !strings.Contains(text, "TPS") || !strings.Contains(text, "p99 latency") || !strings.Contains(text, "9.21 ms") {
			t.Errorf("a metric is missing:\n%s", text)
		}
	}
	text := reporttest.Compared(t, c, "markdown", summary.Options{})
	if strings.Contains(text, "### p99") || !strings.Contains(text, "| tpcb-like | TPS |") {
		t.Errorf("TPS stands in a table of latency:\n%s", text)
	}
}

// TestNoTablesOfNothing checks that without numbers only the verdicts are written, and without
// verdicts nothing.
func TestNoTablesOfNothing(t *testing.T) {
	c := Report(invalid("tps"))
	for _, clients := range []int{1, 8} {
		c.Cells = append(c.Cells, with(invalid("tps"), func(v *record.Verdict) {
			v.Cell = &experiment.Cell{Workload: "tpcb-like", Clients: clients, Threads: 1}
			v.Warnings = []record.Note{{Rule: "blocks-lost", Text: "all of its blocks are left out"}}
		}))
	}
	for _, format := range []string{"text", "markdown"} {
		text := reporttest.Compared(t, c, format, summary.Options{})
		for _, table := range []string{"By cell", "0 blocks", "Workload", "all of its blocks"} {
			if strings.Contains(text, table) {
				t.Errorf("%s has %q:\n%s", format, table, text)
			}
		}
		if !strings.Contains(text, "- tpcb-like, TPS: invalid\n") {
			t.Errorf("%s does not say the word:\n%s", format, text)
		}
	}
	undriven := Report(with(invalid("tps"), func(v *record.Verdict) { v.Outcome = "" }))
	undriven.Look, undriven.Sentences = nil, nil
	text := reporttest.Compared(t, undriven, "text", summary.Options{})
	if !strings.Contains(text, "There is nothing to compare yet") || strings.Contains(text, "How it was decided") {
		t.Errorf("%s", text)
	}
}

// TestLostBlocksOfACellAreInItsCount checks that omitted blocks are explained for the workload,
// and for a cell that is invalid because of them.
func TestLostBlocksOfACellAreInItsCount(t *testing.T) {
	lost := record.Note{Rule: "blocks-lost", Text: "3 of 6 blocks are left out: in 3 of them memory has no valid run"}
	cell := func(clients int, word record.Outcome) record.Verdict {
		return with(ratio("tpcb-like", 1590, 2187, 0.251, 0.462, 3, word), func(v *record.Verdict) {
			v.Cell, v.Warnings = &experiment.Cell{Workload: "tpcb-like", Clients: clients, Threads: 1}, []record.Note{lost}
		})
	}
	for word, want := range map[record.Outcome]int{record.Better: 0, record.Unfit: 1} {
		c := Report(ratio("tpcb-like", 1590, 2187, 0.251, 0.462, 24, record.Better))
		c.Cells = []record.Verdict{cell(1, record.Better), cell(8, word)}
		text := strings.Join(strings.Fields(reporttest.Compared(t, c, "text", summary.Options{})), " ")
		if n := strings.Count(text, lost.Text); n != want {
			t.Errorf("%s: said %d times:\n%s", word, n, text)
		}
	}
}
