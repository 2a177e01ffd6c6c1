// Command evidence writes what each group of settings of a profile does under several conditions, from records of screening designs
// (ablate: screen), such as those of internal/profile/evidence.
//
//	evidence [-out FILE [-keep]] RECORD…
//
// With -keep, the conditions of FILE that no record measures again stay in it, if there is such a file. It prints a table of
// TPS and one of p99. An effect is that of having the group, in per cent, with its 90 % interval, by least squares over the runs.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/profile/evidence"
	"plinth/internal/record"
	"plinth/internal/search"
)

func main() {
	out := flag.String("out", "", "also write the tables to a `FILE`, as JSON")
	keep := flag.Bool("keep", false, "keep the conditions of the file that no record measures again")
	flag.Parse()
	if err := run(flag.Args(), *out, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(1)
	}
}

func run(paths []string, out string, keep bool) error {
	var t, kept evidence.Table
	if keep && out == "" {
		return errors.New("-keep needs -out")
	}
	if keep {
		text, err := os.ReadFile(out)
		if err == nil {
			err = json.Unmarshal(text, &kept)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot keep what was measured before: %w", err)
		}
	}
	for _, path := range paths {
		if err := add(&t, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	t.Add(kept)
	fmt.Fprintln(os.Stdout, t.Markdown(func(g evidence.Group) map[string]evidence.Effect { return g.TPS }))
	fmt.Fprint(os.Stdout, t.Markdown(func(g evidence.Group) map[string]evidence.Effect { return g.P99 }))
	if out == "" {
		return nil
	}
	text, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644) //nolint:gosec // a file of the source tree
}

// add adds a record as a condition.
func add(t *evidence.Table, path string) error {
	rec, err := record.Open(path)
	if err != nil {
		return err
	}
	e, err := rec.Experiment()
	if err != nil {
		return err
	}
	groups, cells := e.Screened(), e.Cells()
	if groups == nil || len(cells) != 1 {
		return errors.New("it is not a screening design (ablate: screen) of one cell")
	}
	_, name, _ := strings.Cut(e.Name, "-")
	c := evidence.Condition{Name: name, Measured: rec.Summary.Created.Format(time.DateOnly)}
	if t.Has(name) {
		return hint.Errorf("name one record of each condition", "another record has the condition %s", name)
	}
	metrics := [2]func(*record.Run) float64{
		func(r *record.Run) float64 { return r.Result.TPS },
		func(r *record.Run) float64 { return float64(r.Result.Latency.P99) },
	}
	var all [2][]evidence.Effect
	for i, of := range metrics {
		if all[i], c.Runs, err = effects(rec, e, groups, of); err != nil {
			return err
		}
	}
	one := evidence.Table{Conditions: []evidence.Condition{c}}
	for i, group := range groups {
		one.Groups = append(one.Groups, evidence.Group{
			Name: group, TPS: map[string]evidence.Effect{name: all[0][i]}, P99: map[string]evidence.Effect{name: all[1][i]},
		})
	}
	t.Add(one)
	return nil
}

// effects estimates what each group does to a metric, and counts the runs.
func effects(rec *record.Record, e *experiment.Experiment, groups []string, metric func(*record.Run) float64) ([]evidence.Effect, int, error) {
	round := search.Round{Moves: make([]search.Move, len(groups)), Design: make([][]bool, len(e.Environments))}
	for i := range e.Environments {
		for _, g := range groups {
			with, _ := e.Halves(g)
			round.Design[i] = append(round.Design[i], slices.Contains(with, e.Environments[i].Name))
		}
	}
	var runs []search.Observation
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if run.Status != record.Valid {
			continue
		}
		at := slices.IndexFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == run.Environment })
		v := metric(run)
		if at < 0 || !(v > 0) {
			return nil, 0, fmt.Errorf("%s has no result, or none of the experiment's environments", run.Path())
		}
		// A block that was driven once more has conditions of its own.
		block := 100*run.Repeat + run.Attempt
		runs = append(runs, search.Observation{Environment: at, Repeat: block, Place: float64(run.Number), Value: math.Log(v)})
	}
	if round.Spare(runs) < fewestSpare {
		return nil, 0, hint.Errorf("finish it: plinth run --resume", "%d runs are too few for %d groups", len(runs), len(groups))
	}
	estimates, err := round.Estimates(runs)
	var all []evidence.Effect
	for _, one := range estimates {
		all = append(all, evidence.Effect{Value: one.Effect, Half: search.Within * one.Error})
	}
	return all, len(runs), err
}

// fewestSpare is the number of runs beyond the number of unknowns from which the scatter of the runs is known.
const fewestSpare = 8
