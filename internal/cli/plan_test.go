package cli

import (
	"reflect"
	"testing"

	"plinth/internal/experiment"
)

func experimentOf(t *testing.T, yaml string) *experiment.Experiment {
	t.Helper()
	e, _, err := experiment.Parse("test.yaml", []byte("name: test\nquestion: Which?\n"+yaml), t.TempDir(), nil)
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
		{"one environment", "environments: {disk: {}}\nworkloads: [tpcb-like]\n", []string{"One environment: there is nothing to compare."}},
		{"enough", two + "workloads: [tpcb-like]\nclients: [1]\nthreads: [1]\nrepeats: 6\n", []string{
			"Decided by tps, margin 3%; looks at 6 blocks (5%).",
			"A verdict on a workload takes at least 6 blocks (of 1 comparison).",
		}},
		{"too few, and cells", two + "workloads: [tpcb-like]\nclients: [1, 2]\nthreads: [1]\nrepeats: 2\nstop: decided\n", []string{
			"Decided by tps, margin 3%; looks at 4 blocks (5%).",
			"A verdict on a workload takes at least 6 blocks (of 1 comparison): there will be 4, so an effect and its interval or range, and no verdict.",
			"A verdict on a cell takes at least 7 blocks (of 2 comparisons): there will be 2, so an effect and its interval or range, and no verdict.",
			"It ends at the first look at which each of them is decided.",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := planLines(experimentOf(t, c.yaml)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
		})
	}
}
