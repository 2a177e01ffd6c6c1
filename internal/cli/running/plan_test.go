package running

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

func experimentOf(t *testing.T, yaml string) *experiment.Experiment {
	t.Helper()
	e, _, err := decode.Parse("test.yaml", []byte("name: test\nquestion: Which?\n"+yaml), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPlanLines(t *testing.T) {
	const two = "environments: {disk: {}, memory: {}}\n"
	for _, c := range []struct {
		name, yaml string
		want       []string
	}{
		{"one environment", "environments: {disk: {}}\nworkloads: [tpcb-like]\n", []string{"There is only one environment, so there is nothing to compare."}},
		{"enough", two + "workloads: [tpcb-like]\nclients: [1]\nthreads: [1]\nrepeats: 6\n", []string{
			"Decided by tps, margin 3%; planned looks: after 6 blocks (alpha 5%).",
			"A verdict on a workload takes at least 6 blocks (for 1 comparison).",
		}},
		{"every pair", "environments: {disk: {}, memory: {}, nfs: {}, tape: {}}\ncompare: all\nworkloads: [tpcb-like]\nclients: [1]\nthreads: [1]\nrepeats: 7\n", []string{
			"Decided by tps, margin 3%; planned looks: after 7 blocks (alpha 5%).",
			"A verdict on a workload takes at least 8 blocks (for 6 comparisons); the plan has 7: an effect with its interval or range, but no verdict.",
		}},
		{"too few, and cells", two + "workloads: [tpcb-like]\nclients: [1, 2]\nthreads: [1]\nrepeats: 2\nstop: decided\n", []string{
			"Decided by tps, margin 3%; planned looks: after 4 blocks (alpha 5%).",
			"A verdict on a workload takes at least 6 blocks (for 1 comparison); the plan has 4: an effect with its interval or range, but no verdict.",
			"A verdict on a cell takes at least 7 blocks (for 2 comparisons); the plan has 2: an effect with its interval or range, but no verdict.",
			"The experiment ends at the first look at which all verdicts are decided.",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := planLines(experimentOf(t, c.yaml)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
		})
	}
}

func TestSeen(t *testing.T) {
	for _, c := range []struct {
		name  string
		power verdict.Power
		want  string
	}{
		{"an effect", verdict.Power{PairSD: 0.051, Units: 6, Possible: true, Effect: 0.0823},
			"mix: pairs of blocks differ by 5.1 %; the planned 6 blocks can detect 8.2 %"},
		{"no noise", verdict.Power{Units: 6, Possible: true},
			"mix: pairs of blocks differ by 0 %; the planned 6 blocks can detect any effect"},
		{"too few", verdict.Power{PairSD: 0.051, Units: 1},
			"mix: pairs of blocks differ by 5.1 %; the planned 1 block can detect nothing: too few for a verdict"},
		{"a share", verdict.Power{PairSD: 0.051, Units: 6, Possible: true, Effect: 0.0823, Difference: true},
			"mix: pairs of blocks differ by 5.1 points; the planned 6 blocks can detect 8.2 points"},
		{"a great effect", verdict.Power{PairSD: 1.2, Units: 6, Possible: true, Effect: 12.34},
			"mix: pairs of blocks differ by 120 %; the planned 6 blocks can detect 1234 %"},
		{"another load", verdict.Power{PairSD: 0.01, Units: 6, Possible: true, Effect: 0.02, Unlike: "measured at scale 1; this is at scale 9"},
			"mix: pairs of blocks differ by 1 %; the planned 6 blocks can detect 2 % (measured at scale 1; this is at scale 9)"},
	} {
		c.power.Workload = "mix"
		if got := seen([]verdict.Power{c.power}, &record.Plan{Unit: "block"})[0]; got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
	got := seen([]verdict.Power{{Workload: "mix", PairSD: 0.05, Units: 8, Possible: true, Effect: 0.02}}, &record.Plan{Unit: "repeat", Effects: 4})[0]
	if want := "mix: pairs of repeats differ by 5 %; the planned 8 repeats can detect 2 % of a group"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPrintPower checks that workloads without measured noise are named, and that every line fits.
func TestPrintPower(t *testing.T) {
	e := experimentOf(t, "environments: {disk: {}, memory: {}}\nworkloads: [tpcb-like, select-only]\nclients: [1]\nthreads: [1]\nrepeats: 8\n")
	var out bytes.Buffer
	a := &app{&base.App{Stdout: &out}}
	a.printPower(e, "aa-a-name-of-a-record-that-is-rather-long-20261121T031500Z", []record.Noise{{Workload: "tpcb-like", Metric: "tps", PairSD: 0.05, BlockTime: 9}}, 0)
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"- tpcb-like: pairs of blocks differ by 5 %", "- select-only: the noise and the detectable effect are unknown", "Effect tpcb-like takes"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("too wide: %s", line)
		}
	}
}
