package record_test

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// parseRuns parses runs written as "ENV REPEAT.ATTEMPT STATUS TPS", one per line.
func parseRuns(t *testing.T, text string) []record.Run {
	t.Helper()
	var runs []record.Run
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		run := record.Run{RunID: record.RunID{Cell: experiment.Cell{Workload: "tpcb-like", Clients: 1, Threads: 1}}}
		_, err := fmt.Sscanf(strings.TrimSpace(line), "%s %d.%d %s %g",
			&run.Environment, &run.Repeat, &run.Attempt, &run.Status, &run.Result.TPS)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		runs = append(runs, run)
	}
	return runs
}

func TestSamples(t *testing.T) {
	for _, c := range []struct{ name, runs, samples, notes string }{
		{"all valid", `
			a 1.1 valid 10
			b 1.1 valid 20
			b 2.1 valid 21
			a 2.1 valid 11`,
			"a[1 2]=[10 11] b[1 2]=[20 21]", ""},
		{"second attempt counts, whole", `
			a 1.1 valid 10
			b 1.1 invalid 99
			a 1.2 valid 12
			b 1.2 valid 22`,
			"a[1]=[12] b[1]=[22]", ""},
		{"attempts are not mixed", `
			a 1.1 valid 10
			b 1.1 failed 0
			a 1.2 failed 0
			b 1.2 valid 22`,
			"", "block-invalid"},
		{"the first of two valid attempts", `
			a 1.2 valid 12
			b 1.2 valid 22
			a 1.1 valid 10
			b 1.1 valid 20`,
			"a[1]=[10] b[1]=[20]", ""},
		{"one environment invalid leaves out both", `
			a 1.1 valid 10
			b 1.1 invalid 20
			a 2.1 valid 11
			b 2.1 valid 21`,
			"a[2]=[11] b[2]=[21]", "block-invalid"},
		{"interrupted in mid-block", `
			a 1.1 valid 10
			b 1.1 valid 20
			a 2.1 valid 11`,
			"a[1]=[10] b[1]=[20]", "block-incomplete"},
		{"an environment that is not compared", `
			a 1.1 valid 10
			b 1.1 valid 20
			c 1.1 failed 0`,
			"a[1]=[10] b[1]=[20]", ""},
		{"nothing", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			samples, notes := record.Samples([]string{"a", "b"}, parseRuns(t, c.runs))
			var got, rules []string
			for _, s := range samples {
				got = append(got, fmt.Sprintf("%s%v=%v", s.Environment, s.Repeats, s.TPS))
			}
			for _, n := range notes {
				rules = append(rules, n.Rule)
			}
			if text := strings.Join(got, " "); text != c.samples {
				t.Errorf("samples = %s, want %s", text, c.samples)
			}
			if text := strings.Join(rules, " "); text != c.notes {
				t.Errorf("notes = %s, want %s", text, c.notes)
			}
		})
	}
}

// TestSamplesLeaveOutWhatCannotBeCompared checks that a block of valid but not comparable runs is
// left out, with the reason.
func TestSamplesLeaveOutWhatCannotBeCompared(t *testing.T) {
	runs := parseRuns(t, "a 1.1 valid 10\nb 1.1 valid 20\na 2.1 valid 11\nb 2.1 valid 21")
	runs[1].Beside = &record.Beside{Reasons: []record.Note{{Rule: "gap-differs", Text: "held back apart"}}}
	runs[3].Beside = &record.Beside{Warnings: []record.Note{{Rule: "checkpoint-one-side"}}}
	samples, notes := record.Samples([]string{"a", "b"}, runs)
	if len(samples) != 2 || len(samples[0].TPS) != 1 || samples[1].TPS[0] != 21 {
		t.Errorf("samples %+v, want the second block alone", samples)
	}
	want := "tpcb-like, 1 client, 1 thread, repeat 1 is left out in every environment: held back apart"
	if len(notes) != 1 || notes[0].Rule != record.RuleBlockInvalid || notes[0].Text != want {
		t.Errorf("notes %+v, want %q", notes, want)
	}
	if due := record.NewLedger([]string{"a", "b"}, runs).Due(record.Block{Cell: runs[0].Cell, Repeat: 1}); due != 0 {
		t.Errorf("the block is due as attempt %d: it is not driven until it fits", due)
	}
}

func TestSamplesSayWhatIsLeftOut(t *testing.T) {
	_, notes := record.Samples([]string{"a", "b"}, parseRuns(t, "a 3.1 valid 10\nb 3.1 failed 0"))
	want := "tpcb-like, 1 client, 1 thread, repeat 3 is left out in every environment: b is failed"
	if len(notes) != 1 || notes[0].Text != want {
		t.Errorf("notes = %+v, want %q", notes, want)
	}
}

func TestSamplesAreInOrder(t *testing.T) {
	var runs []record.Run
	for i, cell := range []experiment.Cell{
		{Workload: "tpcb-like", Clients: 10, Threads: 1}, {Workload: "tpcb-like", Clients: 2, Threads: 2},
		{Workload: "select-only", Clients: 100, Threads: 1}, {Workload: "tpcb-like", Clients: 2, Threads: 1},
		{Workload: "tpcb-like", Clients: 2, Threads: 1, Rate: 5},
	} {
		id := record.RunID{Environment: "a", Cell: cell, Repeat: 1, Attempt: 1}
		runs = append(runs, record.Run{RunID: id, Number: i + 1, Status: record.Valid})
	}
	samples, _ := record.Samples([]string{"a"}, runs)
	var got []string
	for _, s := range samples {
		got = append(got, s.Path())
	}
	want := "select-only/c100-j1 tpcb-like/c2-j1 tpcb-like/c2-j1-rate5 tpcb-like/c2-j2 tpcb-like/c10-j1"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("order = %s\nwant    %s", text, want)
	}
}

func TestCount(t *testing.T) {
	got := record.Count(parseRuns(t, "a 1.1 valid 1\na 1.2 invalid 1\na 1.3 failed 1\na 1.4 failed 1"))
	if want := (record.Counts{Valid: 1, Invalid: 1, Failed: 2}); got != want {
		t.Errorf("counts = %+v, want %+v", got, want)
	}
}
