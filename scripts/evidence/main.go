// Command evidence prints what each part of a tuning does under several conditions, from records of screening designs
// (ablate: screen): one row a part, one column a cell of a record.
//
//	evidence [-metric tps|p99] RECORD…
//
// An effect is that of having the part, in per cent, with the half-width of its 90 % interval, by least squares over the
// runs. The last column is the mean over the conditions, weighted by their precision.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/search"
)

func main() {
	metric := flag.String("metric", "tps", "tps or p99")
	flag.Parse()
	if err := run(flag.Args(), *metric); err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(1)
	}
}

// condition is a cell of a record, with the effects of parts.
type condition struct {
	name    string
	effects map[string]search.Estimate
}

func run(paths []string, metric string) error {
	var parts []string // of all records, in the order of the first
	var all []condition
	for _, path := range paths {
		rec, err := record.Open(path)
		if err != nil {
			return err
		}
		e, err := rec.Experiment()
		if err != nil {
			return err
		}
		screened := e.Screened()
		if screened == nil {
			return fmt.Errorf("%s is no record of a screening design (ablate: screen)", path)
		}
		for _, p := range screened {
			if !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
		for _, cell := range e.Cells() {
			c, err := conditionOf(rec, e, screened, cell, metric)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", path, cell, err)
			}
			all = append(all, c)
		}
	}
	write(parts, all)
	return nil
}

// conditionOf estimates the effects of the parts in a cell.
func conditionOf(rec *record.Record, e *experiment.Experiment, parts []string, cell experiment.Cell, metric string) (condition, error) {
	c := condition{name: e.Name + " " + cell.String(), effects: map[string]search.Estimate{}}
	round := search.Round{Moves: make([]search.Move, len(parts)), Design: make([][]bool, len(e.Environments))}
	for i := range e.Environments {
		for _, p := range parts {
			with, _ := e.Halves(p)
			round.Design[i] = append(round.Design[i], slices.Contains(with, e.Environments[i].Name))
		}
	}
	var runs []search.Observation
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if run.Cell != cell || run.Status != record.Valid {
			continue
		}
		v := run.Result.TPS
		if metric == "p99" {
			v = float64(run.Result.Latency.P99)
		}
		at := slices.IndexFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == run.Environment })
		runs = append(runs, search.Observation{Environment: at, Repeat: run.Repeat, Value: math.Log(v)})
	}
	estimates, err := round.Estimates(runs)
	if err != nil {
		return c, err
	}
	for i, p := range parts {
		c.effects[p] = estimates[i]
	}
	return c, nil
}

func write(parts []string, all []condition) {
	head, rule := "| part |", "|---|"
	for _, c := range all {
		head, rule = head+" "+c.name+" |", rule+"---:|"
	}
	fmt.Println(head + " all |\n" + rule + "---:|")
	for _, p := range parts {
		line, sum, weight := "| "+p+" |", 0.0, 0.0
		for _, c := range all {
			e, there := c.effects[p]
			if !there {
				line += " |"
				continue
			}
			line += " " + shown(e) + " |"
			w := 1 / (e.Error * e.Error)
			sum, weight = sum+w*e.Effect, weight+w
		}
		fmt.Println(line + " " + shown(search.Estimate{Effect: sum / weight, Error: math.Sqrt(1 / weight)}) + " |")
	}
}

// shown returns an effect in per cent with the half-width of its 90 % interval; in bold if that does not hold zero.
func shown(e search.Estimate) string {
	half := 1.645 * e.Error
	text := fmt.Sprintf("%+.1f ± %.1f", 100*math.Expm1(e.Effect), 100*half)
	if math.Abs(e.Effect) > half {
		text = "**" + text + "**"
	}
	return text
}
