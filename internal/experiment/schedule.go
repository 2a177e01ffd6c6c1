package experiment

import "math/rand/v2"

// Slot is one run of the schedule.
type Slot struct {
	Repeat      int // from 1
	Cell        Cell
	Environment string
	Position    int // when in its block this environment's turn comes, from 1
}

// Schedule is the runs of an experiment in the order in which they will happen,
// one slice for each repeat.
type Schedule [][]Slot

// Runs is how many runs there are.
func (s Schedule) Runs() int {
	n := 0
	for _, repeat := range s {
		n += len(repeat)
	}
	return n
}

// Schedule puts the runs in order. It is a function of the experiment alone, its
// seed included. Each repeat has a random stream of its own, so that raising
// repeats leaves the order of the earlier ones as it was.
func (e *Experiment) Schedule() Schedule {
	cells := e.Cells()
	schedule := make(Schedule, e.Repeats)
	for i := range schedule {
		repeat := i + 1
		random := rand.New(rand.NewPCG(e.Seed, uint64(repeat)))
		if e.Interleave == "repeat" {
			schedule[i] = e.environmentByEnvironment(repeat, cells, random)
		} else {
			schedule[i] = e.blockByBlock(repeat, cells, random)
		}
	}
	return schedule
}

// blockByBlock has every environment take its turn in each cell, back to back.
func (e *Experiment) blockByBlock(repeat int, cells []Cell, random *rand.Rand) []Slot {
	var slots []Slot
	for _, c := range random.Perm(len(cells)) {
		for position, env := range random.Perm(len(e.Environments)) {
			slots = append(slots, Slot{repeat, cells[c], e.Environments[env].Name, position + 1})
		}
	}
	return slots
}

// environmentByEnvironment drives all cells in one environment, then in the
// next. Every environment sees the cells in the same order, so that the runs of
// a block are equally far apart.
func (e *Experiment) environmentByEnvironment(repeat int, cells []Cell, random *rand.Rand) []Slot {
	var slots []Slot
	order := random.Perm(len(cells))
	for position, env := range random.Perm(len(e.Environments)) {
		for _, c := range order {
			slots = append(slots, Slot{repeat, cells[c], e.Environments[env].Name, position + 1})
		}
	}
	return slots
}
