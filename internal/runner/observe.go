package runner

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/figure"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// observed adds to a run what its stand did and read, and computes the run's figures from it.
func (r *Runner) observed(run *record.Run, points *record.Points, account site.Account) {
	points.Columns = append(points.Columns, account.Columns...)
	run.Telemetry, run.Evidence, run.Generators = account.Telemetry, account.Evidence, account.Generators
	run.Pressure, run.Credits, run.Events = account.Pressure, account.Credits, account.Events
	environment := r.book.environments[run.Environment]
	in := figure.Input{Run: run, Points: *points, Environment: environment, Inventory: r.inventoryOf(run.Environment)}
	run.Figures, run.FigureGaps, run.Resources = figure.Of(in)
	run.Volumes, run.Bursts = figure.Volumes(in), figure.Bursts(in)
	mark(run, environment.Limits)
}

// mark adds the beginning and the end of a run's events to its timeline, and the end of its CPU credits.
func mark(run *record.Run, limits *record.Limits) {
	if run.Telemetry == nil || len(run.Events) == 0 && run.Credits == nil {
		return
	}
	if c := run.Credits; c != nil && c.Ended != nil {
		run.Telemetry.Marks = append(run.Telemetry.Marks, record.Mark{Second: *c.Ended, Kind: "credits-spent",
			Text: fmt.Sprintf("the CPU credits are spent: %.2g CPUs from now on", limits.CPUCredits.Sustained)})
	}
	for _, e := range run.Events {
		if e.Took == 0 {
			continue // it did not begin
		}
		end := fmt.Sprintf("%s took %.3f s", e.Name, e.Took)
		if e.Error != "" {
			end = e.Name + " failed: " + e.Error
		}
		run.Telemetry.Marks = append(run.Telemetry.Marks,
			record.Mark{Second: e.At, Kind: "event-start", Text: e.Name + ": " + e.What},
			record.Mark{Second: e.At + e.Took, Kind: "event-end", Text: end})
	}
	slices.SortStableFunc(run.Telemetry.Marks, func(a, b record.Mark) int { return cmp.Compare(a.Second, b.Second) })
}
