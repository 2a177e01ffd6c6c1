package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/experiment"
)

// Rules of the notes that Counted and Samples return.
const (
	RuleBlockInvalid    = "block-invalid"    // a run of the block is not valid
	RuleBlockIncomplete = "block-incomplete" // an environment has no run in it
)

// Counted selects the runs whose numbers may be used. Of each block, these are the runs of the
// first attempt in which every environment of envs has a valid run and no run carries a reason
// against comparing them. A block without such an attempt is left out in every environment,
// because its other runs have no counterpart. The notes list the blocks left out. Runs are
// ordered by cell, repeat and environment (as in envs).
func Counted(envs []string, runs []Run) ([]Run, []Note) {
	blocks := map[Block][]Run{}
	for _, run := range runs {
		if slices.Contains(envs, run.Environment) {
			b := Block{run.Cell, run.Repeat}
			blocks[b] = append(blocks[b], run)
		}
	}
	var counted []Run
	var notes []Note
	order := slices.SortedFunc(maps.Keys(blocks), func(a, b Block) int {
		return cmp.Or(CompareCells(a.Cell, b.Cell), cmp.Compare(a.Repeat, b.Repeat))
	})
	for _, b := range order {
		attempt := firstValid(envs, blocks[b])
		if attempt == nil {
			notes = append(notes, leftOut(b, envs, blocks[b]))
		}
		counted = append(counted, attempt...)
	}
	return counted, notes
}

// Counted selects the runs of a record whose numbers may be used, out of runs: those of complete blocks
// (see Counted). Imported runs count one by one: no block was planned.
func (r *Record) Counted(envs []string, runs []Run) ([]Run, []Note) {
	if r.Import == nil {
		return Counted(envs, runs)
	}
	counted := slices.DeleteFunc(slices.Clone(runs), func(run Run) bool {
		return run.Status != Valid || !slices.Contains(envs, run.Environment)
	})
	slices.SortStableFunc(counted, func(a, b Run) int {
		return cmp.Or(CompareCells(a.Cell, b.Cell), cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(slices.Index(envs, a.Environment), slices.Index(envs, b.Environment)))
	})
	return counted, nil
}

// CompareCells orders cells by workload, clients, threads and rate.
func CompareCells(a, b experiment.Cell) int {
	return cmp.Or(
		strings.Compare(a.Workload, b.Workload),
		cmp.Compare(a.Clients, b.Clients),
		cmp.Compare(a.Threads, b.Threads),
		cmp.Compare(a.Rate, b.Rate),
	)
}

// firstValid returns the first attempt with a valid run in every environment, in the order of
// envs, or nil.
func firstValid(envs []string, runs []Run) []Run {
	for _, attempt := range attempts(runs) {
		var chosen []Run
		for _, env := range envs {
			i := slices.IndexFunc(runs, func(r Run) bool {
				return r.Attempt == attempt && r.Environment == env && r.Status == Valid
			})
			if i >= 0 {
				chosen = append(chosen, runs[i])
			}
		}
		if len(chosen) == len(envs) && besideReasons(chosen) == nil {
			return chosen
		}
	}
	return nil
}

// besideReasons returns why runs that are valid individually cannot be compared.
func besideReasons(runs []Run) []Note {
	for _, run := range runs {
		if run.Beside != nil && len(run.Beside.Reasons) > 0 {
			return run.Beside.Reasons
		}
	}
	return nil
}

func attempts(runs []Run) []int {
	var numbers []int
	for _, run := range runs {
		numbers = append(numbers, run.Attempt)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

func leftOut(b Block, envs []string, runs []Run) Note {
	var bad, missing []string
	for _, env := range envs {
		own := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Environment != env })
		switch {
		case len(own) == 0:
			missing = append(missing, env)
		case !slices.ContainsFunc(own, func(r Run) bool { return r.Status == Valid }):
			bad = append(bad, env+" is "+string(own[len(own)-1].Status))
		}
	}
	name := fmt.Sprintf("%s, repeat %d is left out in every environment", b.Cell, b.Repeat)
	apart := besideReasons(runs)
	switch {
	case len(bad) == 0 && len(missing) == 0 && apart != nil:
		return Note{Rule: RuleBlockInvalid, Text: name + ": " + apart[0].Text, Hint: apart[0].Hint}
	case len(bad) > 0:
		return Note{Rule: RuleBlockInvalid, Text: name + ": " + strings.Join(bad, ", ")}
	case len(missing) > 0:
		return Note{Rule: RuleBlockIncomplete, Text: name + ": no run yet in " + strings.Join(missing, ", ")}
	}
	return Note{Rule: RuleBlockInvalid, Text: name + ": no attempt is valid in all environments"}
}

// Samples returns the run-level values of each environment and cell, one for each block that
// counts, in order of repeats; see Counted. Samples are in the order of envs, then of
// CompareCells.
func Samples(envs []string, runs []Run) ([]Sample, []Note) {
	counted, notes := Counted(envs, runs)
	var samples []Sample
	for _, env := range envs {
		for _, run := range counted {
			if run.Environment != env {
				continue
			}
			if n := len(samples); n == 0 || samples[n-1].Environment != env || samples[n-1].Cell != run.Cell {
				samples = append(samples, Sample{Environment: env, Cell: run.Cell})
			}
			s := &samples[len(samples)-1]
			s.Repeats = append(s.Repeats, run.Repeat)
			s.TPS = append(s.TPS, run.Result.TPS)
			s.Latency = append(s.Latency, run.Result.Latency.Mean)
		}
	}
	return samples, notes
}

// Count counts runs by status.
func Count(runs []Run) Counts {
	var counts Counts
	for _, run := range runs {
		switch run.Status {
		case Valid:
			counts.Valid++
		case Invalid:
			counts.Invalid++
		case Failed:
			counts.Failed++
		}
	}
	return counts
}
