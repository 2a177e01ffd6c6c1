package truth

import (
	"math"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/record"
)

func simulate(t *testing.T, trial Trial, seed uint64) *simulated {
	t.Helper()
	s, err := trial.simulate(seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnExperimentEndsWhereItIsDecided(t *testing.T) {
	apart := Trial{Machine: machines[0], Effect: everywhere(0.5)}
	for _, c := range []struct {
		name       string
		experiment *experiment.Experiment
		want       []int // repeats at which it is read
	}{
		{"stop: end", plan(20, oneWorkload, two), []int{8, 12, 20}},
		{"stop: decided", plan(20, oneWorkload, two, decided), []int{8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apart.Experiment = c.experiment
			looks, err := simulate(t, apart, 1).looks()
			if err != nil || len(looks) != len(c.want) {
				t.Fatalf("%d looks, %v; want %v", len(looks), err, c.want)
			}
			for i, look := range looks {
				v := declared(look)[0]
				if look.Repeats != c.want[i] || v.N != c.want[i] || v.Outcome != record.Better || math.Abs(v.Effect-0.5) > 0.05 {
					t.Errorf("look %d: after %d repeats %+v", i+1, look.Repeats, v)
				}
			}
		})
	}
}

// TestRunsKeepToTheSchedule checks that the simulated time follows the order in which
// plinth drives runs.
func TestRunsKeepToTheSchedule(t *testing.T) {
	s := simulate(t, Trial{Experiment: plan(6, threeWorkloads, three, thirteenCells), Machine: machines[7]}, 3)
	e, _, err := decode.Parse("truth.yaml", s.rec.ExperimentYAML, "", nil)
	if err != nil || e.Seed != s.rec.Summary.Seed {
		t.Fatalf("seed %d, in the file %d, %v", s.rec.Summary.Seed, e.Seed, err)
	}
	number := 0
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			run := s.runs[number]
			number++
			if run.Number != number || run.Cell != slot.Cell || run.Environment != slot.Environment || run.Repeat != slot.Repeat {
				t.Fatalf("run %d is %+v, scheduled is %+v", number, run.RunID, slot)
			}
		}
	}
	if number != 3*3*78 || len(s.runs) != number {
		t.Errorf("%d runs of %d", len(s.runs), number)
	}
}

func TestLoadsDifferByRepeat(t *testing.T) {
	s := simulate(t, Trial{Experiment: plan(2, oneWorkload, two, fourCells, reload), Luck: 0.1}, 5)
	shown := map[string]map[int]float64{}
	for _, run := range s.runs {
		luck := math.Log(run.Result.TPS / base(run.Cell))
		if shown[run.Environment] == nil {
			shown[run.Environment] = map[int]float64{}
		}
		if before, ok := shown[run.Environment][run.Repeat]; ok && math.Abs(before-luck) > 1e-9 {
			t.Fatalf("two lucks in one load: %v and %v", before, luck)
		}
		shown[run.Environment][run.Repeat] = luck
	}
	if shown["a"][1] == shown["b"][1] || shown["a"][1] == shown["a"][2] {
		t.Errorf("loads share their luck: %v", shown)
	}
}

func TestTruthIsTheMeanOverCells(t *testing.T) {
	trial := Trial{Experiment: plan(1, oneWorkload, two, "clients: [1, 2]\n"), Effect: func(c experiment.Cell) float64 {
		return math.Log(float64(c.Clients)) // 1 and 2: the geometric mean is the square root of 2
	}}
	if got := trial.truth("tpcb-like"); math.Abs(got-(math.Sqrt2-1)) > 1e-12 {
		t.Errorf("%v", got)
	}
	if got := (&Trial{}).truth("tpcb-like"); got != 0 {
		t.Errorf("of equals: %v", got)
	}
}

func TestEveryPlanCanBeRead(t *testing.T) {
	if plan(6, "workloads: [no-such]\n") != nil {
		t.Error("a mistake in a file goes unseen")
	}
	if _, err := (&Trial{}).simulate(1); err == nil {
		t.Error("no experiment, no error")
	}
}
