// Package tpe compares the search of plinth with an optimizer from a library, the tree-structured Parzen estimator
// (TPE) of goptuna, on simulated machines and with the same number of runs. docs/tuning.md has the result.
//
//	go test -C tools/tpe -v -timeout 2h . -worlds 40
package tpe

import (
	"cmp"
	"flag"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/c-bata/goptuna"
	tree "github.com/c-bata/goptuna/tpe"

	"plinth/internal/search"
	"plinth/internal/search/searchtest"
)

var worlds = flag.Int("worlds", 4, "simulated machines")

// budget is the number of runs of a search.
const budget = 350

// Candidates are measured again, each some times more, in the last part of the budget.
const (
	candidates = 8
	again      = 6
)

// trial is a point that TPE tried, and the mean of its runs.
type trial struct {
	at   search.Point
	mean float64
}

// trials lets TPE try points, one run each, and returns them, the best first.
func trials(t *testing.T, w *searchtest.World, seed int64, runs int) []trial {
	t.Helper()
	study, err := goptuna.CreateStudy("", goptuna.StudyOptionDirection(goptuna.StudyDirectionMaximize),
		goptuna.StudyOptionSampler(tree.NewSampler(tree.SamplerOptionSeed(seed))), goptuna.StudyOptionLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	all := []trial{{w.Start(), w.Measure(w.Start())}}
	err = study.Optimize(func(suggest goptuna.Trial) (float64, error) {
		var p search.Point
		for i, d := range w.Dimensions {
			level, err := suggest.SuggestInt(strconv.Itoa(i), 0, len(d.Levels)-1)
			if err != nil {
				return 0, err
			}
			p = append(p, level)
		}
		v := w.Measure(p)
		all = append(all, trial{p, v})
		return v, nil
	}, runs-1)
	if err != nil {
		t.Fatal(err)
	}
	sort(all)
	return all
}

func sort(all []trial) {
	slices.SortFunc(all, func(a, b trial) int { return cmp.Compare(b.mean, a.mean) })
}

// best returns the gain of the best of all trials.
func best(t *testing.T, w *searchtest.World, seed int64) float64 {
	return w.Gain(trials(t, w, seed, budget)[0].at)
}

// confirmed returns the gain of the best of the candidates, by their runs after the search.
func confirmed(t *testing.T, w *searchtest.World, seed int64) float64 {
	all := trials(t, w, seed, budget-candidates*again)[:candidates]
	for i := range all {
		all[i].mean = 0
	}
	for range again {
		shared := w.Block()
		for i := range all {
			all[i].mean += (w.Measure(all[i].at) + shared) / again
		}
	}
	sort(all)
	return w.Gain(all[0].at)
}

// TestAgainstRounds prints the mean gain of each search, and how much more plinth's rounds gain, with its standard
// error over the machines.
func TestAgainstRounds(t *testing.T) {
	gains := map[string][]float64{}
	for seed := range *worlds {
		gains["best possible"] = append(gains["best possible"], searchtest.New(uint64(seed)).Best())
		gains["rounds"] = append(gains["rounds"], searchtest.New(uint64(seed)).Climb(uint64(seed), budget, 11, 0.8))
		gains["TPE"] = append(gains["TPE"], best(t, searchtest.New(uint64(seed)), int64(seed)))
		gains["TPE, confirmed"] = append(gains["TPE, confirmed"], confirmed(t, searchtest.New(uint64(seed)), int64(seed)))
	}
	rounds := gains["rounds"]
	for _, name := range []string{"best possible", "rounds", "TPE", "TPE, confirmed"} {
		var less []float64
		for i, gain := range gains[name] {
			less = append(less, rounds[i]-gain)
		}
		gap, deviation := meanAndDeviation(less)
		gain, _ := meanAndDeviation(gains[name])
		standard := deviation / math.Sqrt(float64(*worlds))
		t.Logf("%-15s %+.1f %%; rounds gain %+.1f points more (standard error %.1f)", name, 100*gain, 100*gap, 100*standard)
		if name != "best possible" && gap < -2*standard {
			t.Errorf("%s finds more than rounds: use it instead", name)
		}
	}
}

func meanAndDeviation(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(max(1, len(x)-1))
	}
	return mean, math.Sqrt(deviation)
}
