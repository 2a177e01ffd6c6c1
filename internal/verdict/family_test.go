package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// summary formats the verdicts by TPS as one line.
func summary(c *verdict.Comparison) string {
	var words []string
	for _, v := range c.Verdicts {
		if v.Metric == "tps" {
			words = append(words, fmt.Sprintf("%s/%s %.4f %s", v.Workload, v.Other, v.Level, v.Outcome))
		}
	}
	return strings.Join(words, ", ")
}

const (
	twoByTwo = "workloads: [tpcb-like, select-only]"
	three    = "environments: {disk: {}, memory: {}, nfs: {}}"
)

// someFaster makes one of two environments faster: half of the comparisons differ.
var someFaster = faster(map[string]float64{"memory": 1.2})

// TestFamilies checks that declared comparisons share the error even if only some are shown,
// and that outcomes requested afterwards get a note.
func TestFamilies(t *testing.T) {
	all := "tpcb-like/memory 0.9875 better, tpcb-like/nfs 0.9875 equivalent, " +
		"select-only/memory 0.9833 better, select-only/nfs 0.9875 equivalent"
	onlyMemory := "tpcb-like/memory 0.9875 better, select-only/memory 0.9833 better"
	for _, c := range []struct {
		compare string
		options verdict.Options
		want    string
		note    string // of outcomes that were not declared
	}{
		{"", verdict.Options{}, all, ""},
		{"", verdict.Options{Metrics: []string{"tps"}}, all, ""},
		{"", verdict.Options{Environments: []string{"disk", "memory"}}, onlyMemory, ""},
		{"", verdict.Options{Environments: []string{"disk", "memory"}, Metrics: []string{"tps"}}, onlyMemory, ""},
		{"", verdict.Options{Environments: []string{"memory", "disk"}}, "tpcb-like/disk 0.9750 worse, select-only/disk 0.9500 worse", "against memory"},
		{"", verdict.Options{Environments: []string{"memory", "nfs"}}, "tpcb-like/nfs 0.9750 worse, select-only/nfs 0.9500 worse", "against memory"},
		{"compare: [tpcb-like]", verdict.Options{},
			"tpcb-like/memory 0.9750 better, tpcb-like/nfs 0.9750 equivalent, select-only/memory 0.9500 , select-only/nfs 0.9500 ", ""},
		{"compare: [tpcb-like/memory]", verdict.Options{},
			"tpcb-like/memory 0.9500 better, tpcb-like/nfs 0.9500 , select-only/memory 0.9500 , select-only/nfs 0.9500 ", ""},
		{"compare: [tpcb-like/memory]", verdict.Options{Environments: []string{"disk", "memory"}},
			"tpcb-like/memory 0.9500 better, select-only/memory 0.9500 better", "against disk"},
		{"compare: [tpcb-like]", verdict.Options{Metrics: []string{"tps"}},
			"tpcb-like/memory 0.9750 better, tpcb-like/nfs 0.9750 equivalent, select-only/memory 0.9750 better, select-only/nfs 0.9750 equivalent", "against disk"},
	} {
		lines := []string{"repeats: 12", twoByTwo, three}
		if c.compare != "" {
			lines = append(lines, c.compare)
		}
		got := of(t, made(t, file(lines...), someFaster), c.options)
		if text := summary(got); text != c.want {
			t.Errorf("%s %+v:\n got %s\nwant %s", c.compare, c.options, text, c.want)
		}
		if hasNote(got.Warnings, "not-declared", c.note) != (c.note != "") {
			t.Errorf("%s %+v: %+v, want a note with %q", c.compare, c.options, got.Warnings, c.note)
		}
	}
}

// TestOnlyWhatHasToBeDecidedIsWaitedFor checks that Decided ignores comparisons that were
// not declared.
func TestOnlyWhatHasToBeDecidedIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		compare string
		spoil   string // the environment whose runs of select-only are invalid
		factor  float64
		want    bool
	}{
		{"[tpcb-like, select-only]", "", 1.2, true},
		{"[tpcb-like, select-only]", "memory", 1.2, false},
		{"[tpcb-like]", "memory", 1.2, true},
		{"[tpcb-like]", "memory", 0, false}, // too noisy to decide
		{"[select-only]", "memory", 1.2, false},
	} {
		rec := made(t, file("repeats: 12", twoByTwo, "compare: "+c.compare), func(run *record.Run) {
			if memory(c.factor)(run); c.factor == 0 {
				run.Result.TPS *= noise(run, 0.2)
			}
			if run.Workload == "select-only" && run.Environment == c.spoil {
				run.Status = record.Invalid
			}
		})
		rec.Runs = append(rec.Runs, again(rec.Runs, func(run record.Run) bool { return run.Status == record.Invalid })...)
		got := of(t, rec, verdict.Options{})
		if got.Look == nil || got.Decided() != c.want {
			t.Errorf("%+v: decided is %v, %s", c, got.Decided(), summary(got))
		}
	}
}

// TestNoWordBesideALooserInterval checks six blocks, whose interval at 95 % excludes
// zero: with three comparisons none has an interval at its share of alpha, so only the
// range is shown.
func TestNoWordBesideALooserInterval(t *testing.T) {
	c := of(t, made(t, file("environments: {disk: {}, memory: {}, nfs: {}, tape: {}}"), memory(1.5)), verdict.Options{})
	for _, v := range c.Verdicts {
		if v.Metric == "tps" && (v.Outcome != record.Inconclusive || v.Level != 0 || v.N != 6) {
			t.Errorf("%+v", v)
		}
	}
	if v := tps(t, c); v.Low < 0.4 || v.High <= v.Low || !strings.Contains(c.Sentences[0], "(range ") {
		t.Errorf("not the range of the blocks: %+v, %s", v, c.Sentences[0])
	}
}

// TestCellsAreASecondFamily checks that cells have an outcome only if they have enough blocks.
func TestCellsAreASecondFamily(t *testing.T) {
	words := func(c *verdict.Comparison) (words []string) {
		for _, v := range c.Cells {
			if v.Metric == "tps" {
				words = append(words, fmt.Sprintf("%d %.4f %s", v.N, v.Level, v.Outcome))
			}
		}
		return words
	}
	for _, c := range []struct {
		repeats string
		options verdict.Options
		want    string
		fewest  verdict.Fewest
	}{
		{"repeats: 6", verdict.Options{}, "[6 0.9688  6 0.9688  6 0.9688  6 0.9688  6 0.9688 ]", verdict.Fewest{Workload: 7, Cell: 9}},
		{"repeats: 10", verdict.Options{}, "[10 0.9950 better 10 0.9938 better 10 0.9917 better 10 0.9875 better 10 0.9750 better]", verdict.Fewest{Workload: 7, Cell: 9}},
		{"repeats: 6", verdict.Options{ByClients: true}, "[6 0.9688  12 0.9917 better 12 0.9875 better]", verdict.Fewest{Workload: 7, Cell: 8}},
		{"repeats: 6", verdict.Options{Metrics: []string{"latency"}}, "[]", verdict.Fewest{Workload: 7, Cell: 9}},
		{"repeats: 5", verdict.Options{}, "[5 0.0000  5 0.0000  5 0.0000  5 0.0000  5 0.0000 ]", verdict.Fewest{Workload: 7, Cell: 9}},
	} {
		rec := made(t, file(c.repeats, "clients: [2, 4, 8]", "threads: [1, 4]"), memory(1.5))
		got := of(t, rec, c.options)
		if text := fmt.Sprint(words(got)); text != c.want || got.Fewest != c.fewest {
			t.Errorf("%s %+v:\n got %s %+v\nwant %s %+v", c.repeats, c.options, text, got.Fewest, c.want, c.fewest)
		}
	}
}

// TestByClients checks the rows of the published form: they span all thread counts, and
// each rate has its own row.
func TestByClients(t *testing.T) {
	rec := made(t, file("clients: [2, 4]", "threads: [1, 2]", "rate: [100, 200]", "metric: tps"), memory(1.2))
	got := ""
	for _, v := range of(t, rec, verdict.Options{ByClients: true}).Cells {
		if v.Metric == "tps" {
			got += fmt.Sprintf("%d clients %g/s, %d cells, %d; ", v.Clients, v.Rate, v.Cells, v.N)
		}
	}
	if want := "2 clients 100/s, 2 cells, 12; 2 clients 200/s, 2 cells, 12; 4 clients 100/s, 2 cells, 12; 4 clients 200/s, 2 cells, 12; "; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestOrder checks the order: by workload, environment and cell, then by metric as asked
// for.
func TestOrder(t *testing.T) {
	rec := made(t, file("clients: [2, 4]", twoByTwo, three, "repeats: 2"), nil)
	c := of(t, rec, verdict.Options{Metrics: []string{"p99", "tps"}})
	got := ""
	for _, v := range c.Cells[:6] {
		got += fmt.Sprint(v.Workload, " ", v.Other, " ", v.Cell.Clients, " ", v.Metric, "; ")
	}
	if want := "tpcb-like memory 2 p99; tpcb-like memory 2 tps; tpcb-like memory 4 p99; tpcb-like memory 4 tps; tpcb-like nfs 2 p99; tpcb-like nfs 2 tps; "; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if v := c.Verdicts[4]; len(c.Verdicts) != 8 || v.Workload != "select-only" || v.Other != "memory" || v.Metric != "p99" {
		t.Errorf("%+v", c.Verdicts)
	}
}

// TestOneCellIsTheWorkload checks that a workload's only cell gets no verdict of its own.
func TestOneCellIsTheWorkload(t *testing.T) {
	if c := of(t, made(t, file(three), nil), verdict.Options{}); len(c.Cells) != 0 || len(c.Verdicts) != 4 {
		t.Errorf("%+v", c)
	}
}

// TestFewest checks that the minimum grows with the number of comparisons that share the
// error, which is 0.05 where there is a single look.
func TestFewest(t *testing.T) {
	for _, c := range []struct {
		lines    []string
		ask      verdict.Options
		families verdict.Families
		want     verdict.Fewest
	}{
		{nil, verdict.Options{}, verdict.Families{Workload: 1, Cell: 1}, verdict.Fewest{Workload: 6, Cell: 6}},
		{[]string{three, twoByTwo}, verdict.Options{}, verdict.Families{Workload: 4, Cell: 4}, verdict.Fewest{Workload: 8, Cell: 8}},
		{[]string{three, twoByTwo, "compare: [tpcb-like/nfs]"}, verdict.Options{}, verdict.Families{Workload: 1, Cell: 1}, verdict.Fewest{Workload: 6, Cell: 6}},
		{[]string{three, twoByTwo, "compare: [tpcb-like/nfs]"}, verdict.Options{Metrics: []string{"p99"}}, verdict.Families{Workload: 4, Cell: 4}, verdict.Fewest{Workload: 8, Cell: 8}},
		{[]string{three, twoByTwo}, verdict.Options{Environments: []string{"nfs", "memory"}}, verdict.Families{Workload: 2, Cell: 2}, verdict.Fewest{Workload: 7, Cell: 7}},
		{[]string{three, "clients: [1, 2]"}, verdict.Options{}, verdict.Families{Workload: 2, Cell: 4}, verdict.Fewest{Workload: 7, Cell: 8}},
	} {
		got := of(t, made(t, file(c.lines...), nil), c.ask)
		if got.Fewest != c.want || got.Families != c.families {
			t.Errorf("%v %+v: %+v of %+v, want %+v of %+v", c.lines, c.ask, got.Fewest, got.Families, c.want, c.families)
		}
	}
}
