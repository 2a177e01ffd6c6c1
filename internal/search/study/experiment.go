package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/search"
	"plinth/internal/verdict"
)

// The environments of a round: the point where it begins, and the rows of its design, mix-1 and so on.
const (
	Incumbent = "incumbent"
	mix       = "mix-"
)

// rowOf returns the row of the design that an environment of a round has.
func rowOf(environment string) int {
	row, _ := strconv.Atoi(strings.TrimPrefix(environment, mix)) // 0 for the incumbent
	return max(0, row)
}

func roundName(number int) string { return fmt.Sprintf("round-%d", number) }

// round returns the experiment of a round.
func (s *Study) round(number int, at search.Point, moves []search.Move) *experiment.Experiment {
	e := s.experiment(roundName(number), fmt.Sprintf("Round %d of a search for a better tuning than %s: which of %d moves help?", number, s.Start, len(moves)))
	round := search.NewRound(moves)
	e.Repeats, e.Stop, e.Seed = round.Repeats(), "end", s.Seed+uint64(number) // rounds in the same order would share the effects of positions
	for row, makes := range round.Design {
		name, point := Incumbent, slices.Clone(at)
		if row > 0 {
			name = mix + strconv.Itoa(row)
		}
		for i, m := range moves {
			if makes[i] {
				point[m.Dimension] = m.To
			}
		}
		e.Environments = append(e.Environments, s.environment(name, point))
	}
	e.Baseline = Incumbent
	// The verdicts of a round decide nothing. One comparison is enough.
	last := e.Environments[len(e.Environments)-1].Name
	for _, w := range e.Workloads {
		e.Compare = append(e.Compare, w.Name+"/"+last)
	}
	return e
}

// apart returns an experiment of the start, and of each move from it.
func (s *Study) apart(moves []search.Move) *experiment.Experiment {
	e := s.experiment("levels", "Can these values be set?")
	start := search.New(s.Space).At()
	e.Environments, e.Baseline = []experiment.Environment{s.environment(Incumbent, start)}, Incumbent
	for i, m := range moves {
		at := slices.Clone(start)
		at[m.Dimension] = m.To
		e.Environments = append(e.Environments, s.environment(mix+strconv.Itoa(i+1), at))
	}
	return e
}

// experiment returns the experiment of a search without its environments. Environments that differ only in tuning use the
// same data, which is loaded once.
func (s *Study) experiment(name, question string) *experiment.Experiment {
	e := *s.base
	e.Name, e.Question, e.Environments = name, question, nil
	e.Steps, e.Ablate, e.Compare, e.Columns = nil, "", nil, nil
	e.Form, e.Quick, e.Published = "", experiment.Form{}, experiment.Form{}
	e.Fault, e.Durability = "", experiment.Durability{}
	e.Metric, e.Interleave, e.Seed = s.Objective, "repeat", s.Seed
	e.Dataset.Shared = e.Engine == "postgres"
	return &e
}

// environment returns the environment of a point.
func (s *Study) environment(name string, at search.Point) experiment.Environment {
	e := s.base.Environments[0]
	e.Name = name
	e.Tuning = slices.Clone(e.Tuning)
	if values := search.Values(s.Space, at); len(values) > 0 {
		e.Tuning = append(e.Tuning, experiment.Tuning{Set: values})
	}
	return e
}

// foundName is the environment of what was found.
const foundName = "found"

// observations returns what the runs of a round's record say: the logarithm of the objective, greater is better, as the mean
// of all cells. An environment that lacks a valid run in a cell is left out. A block that was interrupted was driven again as
// a whole; only the attempt with the most valid runs counts, the last of several.
func observations(rec *record.Record, objective string) ([]search.Observation, error) {
	m, err := experiment.ParseMetric(objective)
	if err != nil {
		return nil, err
	}
	type key struct {
		environment string
		repeat      int
	}
	counted := bestAttempts(rec)
	slices.SortFunc(counted, func(a, b *record.Run) int { return a.Number - b.Number })
	cells := map[experiment.Cell]bool{}
	sums, places, counts := map[key]float64{}, map[key]float64{}, map[key]int{}
	for i, run := range counted {
		cells[run.Cell] = true
		v, known := verdict.ValueOf(rec, run, m)
		if run.Status != record.Valid || !known {
			continue
		}
		gain := math.Log(v)
		if !m.Higher {
			gain = -gain
		}
		at := key{run.Environment, run.Repeat}
		sums[at] += gain
		places[at] += math.Log(float64(i + 1))
		counts[at]++
	}
	var all []search.Observation
	for at, sum := range sums {
		if n := float64(len(cells)); counts[at] == len(cells) {
			all = append(all, search.Observation{Environment: rowOf(at.environment), Repeat: at.repeat, Place: math.Exp(places[at] / n), Value: sum / n})
		}
	}
	slices.SortFunc(all, func(a, b search.Observation) int { return a.Environment - b.Environment + 1000*(a.Repeat-b.Repeat) })
	return all, nil
}

// bestAttempts returns the runs of the attempt with the most valid runs of each block, the last of several.
func bestAttempts(rec *record.Record) (counted []*record.Run) {
	type attempt struct {
		record.Block
		number int
	}
	valid, best := map[attempt]int{}, map[record.Block]int{}
	for i := range rec.Runs {
		if run := &rec.Runs[i]; run.Status == record.Valid {
			valid[attempt{record.Block{Cell: run.Cell, Repeat: run.Repeat}, run.Attempt}]++
		}
	}
	for a, n := range valid {
		known, there := best[a.Block]
		if most := valid[attempt{a.Block, known}]; !there || n > most || n == most && a.number > known {
			best[a.Block] = a.number
		}
	}
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if number, there := best[record.Block{Cell: run.Cell, Repeat: run.Repeat}]; there && run.Attempt == number {
			counted = append(counted, run)
		}
	}
	return counted
}
