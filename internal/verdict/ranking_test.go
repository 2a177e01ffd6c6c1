package verdict_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestRanking checks three and four environments, which are ranked only as far as
// verdicts allow: those against the baseline or, with compare: all, those of every pair. "open" is too
// noisy for any verdict.
func TestRanking(t *testing.T) {
	for _, c := range []struct {
		factors   string // by name, the baseline first
		want      string
		everyPair string // with compare: all
	}{
		{"base=1 fast=1.5 slow=0.7", "1. fast, 2. base, 3. slow", "1. fast, 2. base, 3. slow"},
		{"base=1 fast=1.5 faster=2", "1. fast = faster, 3. base", "1. faster, 2. fast, 3. base"},
		{"base=1 slow=0.5 slower=0.3", "1. base, 2. slow = slower", "1. base, 2. slow, 3. slower"},
		{"base=1 fast=1.5 quick=1.5", "1. fast = quick, 3. base", "1. fast = quick, 3. base"},
		{"base=1 same=1 fast=1.5", "1. fast = same, 2. base = same", "1. fast, 2. base = same"},
		{"base=1 same=1 alike=1", "", ""},
		{"base=1 open=1 same=1", "", ""},
		{"base=1 fast=1.5", "", ""}, // the verdict is enough
		{"base=1 fast=1.5 open=1 slow=0.7", "1. fast = open, 2. base = open, 3. slow = open", "1. fast, 2. base = open, 4. slow"},
		{"base=1 fast=1.5 invalid=1 slow=0.7", "1. fast, 2. base, 3. slow", "1. fast, 2. base, 3. slow"},
		{"invalid=1 fast=1.5 slow=0.7 same=0.7", "", "1. fast, 2. slow = same"},
		{"base=1 fast=1.5 faster=2 slow=0.5", "1. fast = faster, 3. base, 4. slow", "1. faster, 2. fast, 3. base, 4. slow"},
		{"base=1 invalid=1 open=1", "", ""},
	} {
		factors := map[string]float64{}
		var names []string
		for _, entry := range strings.Fields(c.factors) {
			name, text, _ := strings.Cut(entry, "=")
			factor, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			factors[name] = factor
			names = append(names, name+": {}")
		}
		environments := "environments: {" + strings.Join(names, ", ") + "}"
		for _, lines := range [][]string{{environments}, {environments, "compare: all"}} {
			rec := made(t, file(append(lines, "repeats: 12")...), func(run *record.Run) {
				faster(factors)(run)
				switch run.Environment {
				case "open":
					run.Result.TPS *= noise(run, 0.2)
				case "invalid":
					run.Result.TPS = 0
				}
			})
			var places []string
			for _, r := range of(t, rec, verdict.Options{}).Ranking {
				places = append(places, fmt.Sprintf("%d. %s", r.Place, strings.Join(r.Environments, " = ")))
			}
			want := c.want
			if len(lines) > 1 {
				want = c.everyPair
			}
			if got := strings.Join(places, ", "); got != want {
				t.Errorf("%s, %s: %s, want %s", c.factors, lines, got, want)
			}
		}
	}
}

// TestNoRankingBeforeTheFirstLook checks that there is none then, nor of two selected
// environments.
func TestNoRankingBeforeTheFirstLook(t *testing.T) {
	rec := made(t, file("repeats: 12", three), memory(1.5))
	if c := of(t, rec, verdict.Options{Environments: []string{"disk", "memory"}}); c.Ranking != nil {
		t.Errorf("%+v", c.Ranking)
	}
	if c := of(t, until(rec, 11), verdict.Options{}); c.Ranking != nil {
		t.Errorf("%+v", c.Ranking)
	}
}

// TestRankingByTheMetricAskedFor checks the ranking by the selected metric, for each
// workload.
func TestRankingByTheMetricAskedFor(t *testing.T) {
	rec := made(t, file("repeats: 12", three, twoByTwo), func(run *record.Run) {
		if run.Environment == "nfs" && run.Workload == "select-only" {
			run.Result.Latency.P99 *= 2
		}
	})
	got := fmt.Sprint(of(t, rec, verdict.Options{Metrics: []string{"p99"}}).Ranking)
	if want := "[{select-only 1 [disk memory]} {select-only 2 [nfs memory]}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
