package experiment_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/experiment/builtin"
	"plinth/internal/experiment/experimenttest"
)

func TestEveryRepeatHasEachCellOnceInEachEnvironment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := experimenttest.Any().Draw(t, "experiment")
		schedule := e.Schedule()
		if len(schedule) != e.Repeats || schedule.Runs() != e.Repeats*len(e.Cells())*len(e.Environments) {
			t.Fatalf("%d repeats, %d runs", len(schedule), schedule.Runs())
		}
		for i, slots := range schedule {
			blocks := map[experiment.Cell][]experiment.Slot{}
			for _, slot := range slots {
				blocks[slot.Cell] = append(blocks[slot.Cell], slot)
			}
			for _, cell := range e.Cells() {
				checkBlock(t, e, blocks[cell], i+1)
			}
		}
	})
}

func checkBlock(t *rapid.T, e *experiment.Experiment, block []experiment.Slot, repeat int) {
	seen := map[string]bool{}
	for i, s := range block {
		if s.Repeat != repeat || s.Position != i+1 || seen[s.Environment] ||
			!slices.ContainsFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == s.Environment }) {
			t.Fatalf("slot %d of a block of repeat %d: %+v", i, repeat, s)
		}
		seen[s.Environment] = true
	}
	if len(seen) != len(e.Environments) {
		t.Fatalf("%d of %d environments", len(seen), len(e.Environments))
	}
}

func TestRunsOfABlockFollowEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := experimenttest.Any().Draw(t, "experiment")
		e.Interleave = "block"
		for _, slots := range e.Schedule() {
			for i, s := range slots {
				if s.Cell != slots[i-i%len(e.Environments)].Cell {
					t.Fatalf("slot %d is of another block: %v", i, s)
				}
			}
		}
	})
}

func TestInterleaveRepeatDrivesTheSameOrderInEachEnvironment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := experimenttest.Any().Draw(t, "experiment")
		e.Interleave = "repeat"
		cells := len(e.Cells())
		for _, slots := range e.Schedule() {
			for i, s := range slots {
				turn := slots[i-i%cells]
				if s.Cell != slots[i%cells].Cell || s.Environment != turn.Environment || s.Position != i/cells+1 {
					t.Fatalf("slot %d: %+v", i, s)
				}
			}
		}
	})
}

func TestScheduleFollowsFromTheSeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := experimenttest.Any().Draw(t, "experiment")
		first := e.Schedule()
		if !reflect.DeepEqual(first, e.Schedule()) {
			t.Fatal("the same experiment has two orders")
		}
		e.Repeats++
		if !reflect.DeepEqual(first, e.Schedule()[:len(first)]) {
			t.Fatal("one more repeat changes the earlier ones")
		}
	})
}

// The order for a given seed must never change: records begun with it are resumed by it.
func TestScheduleGolden(t *testing.T) {
	e := &experiment.Experiment{Seed: 42, Repeats: 2, Clients: []int{1, 8}, Threads: []int{1}, Interleave: "block",
		Workloads: []experiment.Workload{{Name: "ro"}}, Environments: []experiment.Environment{{Name: "a"}, {Name: "b"}}}
	var got []string
	for _, slots := range e.Schedule() {
		for _, s := range slots {
			got = append(got, s.Cell.Path()+" "+s.Environment)
		}
	}
	want := []string{
		"ro/c1-j1 a", "ro/c1-j1 b", "ro/c8-j1 b", "ro/c8-j1 a",
		"ro/c8-j1 a", "ro/c8-j1 b", "ro/c1-j1 a", "ro/c1-j1 b",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

// Over many seeds, every environment must be first in a block equally often, and every cell first
// in a repeat equally often, within four standard errors.
func TestOrdersAreBalanced(t *testing.T) {
	const seeds = 3000
	for _, interleave := range []string{"block", "repeat"} {
		e := &experiment.Experiment{Repeats: 1, Clients: []int{1, 2, 3, 4}, Threads: []int{1}, Interleave: interleave,
			Workloads: []experiment.Workload{{Name: "ro"}}, Environments: []experiment.Environment{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
		environments, cells := map[string]int{}, map[experiment.Cell]int{}
		for seed := range uint64(seeds) {
			e.Seed = seed + 1
			first := e.Schedule()[0][0]
			environments[first.Environment]++
			cells[first.Cell]++
		}
		for name, n := range environments {
			checkShare(t, name, n, seeds, 1.0/3)
		}
		for cell, n := range cells {
			checkShare(t, cell.Path(), n, seeds, 1.0/4)
		}
	}
}

func checkShare(t *testing.T, name string, n, of int, share float64) {
	t.Helper()
	deviation := math.Sqrt(float64(of) * share * (1 - share))
	if math.Abs(float64(n)-float64(of)*share) > 4*deviation {
		t.Errorf("%s is first %d times of %d, expected %.0f", name, n, of, float64(of)*share)
	}
}

func TestCells(t *testing.T) {
	e, _, err := builtin.Load("storage-baseline", nil)
	if err != nil {
		t.Fatal(err)
	}
	cells := e.Cells()
	if len(cells) != 39 || cells[0] != (experiment.Cell{Workload: "select-only", Clients: 1, Threads: 1}) || cells[38] != (experiment.Cell{Workload: "tpcb-like", Clients: 100, Threads: 8}) {
		t.Errorf("%d cells, from %v to %v", len(cells), cells[0], cells[len(cells)-1])
	}
	e.Rates = []float64{100, 0.5}
	if cells := e.Cells(); len(cells) != 78 || cells[1] != (experiment.Cell{Workload: "select-only", Clients: 1, Threads: 1, Rate: 0.5}) {
		t.Errorf("with rates: %d cells, second %v", len(cells), cells[1])
	}
}
