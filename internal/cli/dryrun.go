package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/runner"
	"plinth/internal/runner/preview"
	"plinth/internal/unit"
)

// dryRun prints what an experiment will do and take, without doing anything. What
// keeps it from being done here is the error that it ends with.
func (a *app) dryRun(options runner.Options, asJSON bool) error {
	ahead, refused := runner.Look(options)
	if ahead.Runs == 0 {
		return refused
	}
	return errors.Join(a.tellPreview(options, ahead, asJSON), refused)
}

func (a *app) tellPreview(options runner.Options, ahead preview.Preview, asJSON bool) error {
	e := options.Experiment
	names, noise, err := a.noiseHere(e)
	if err != nil {
		names, noise = nil, nil // a store that cannot be read costs what it could tell
	}
	warnings := append(options.Warnings, ahead.Warnings...)
	if asJSON {
		return writeJSON(a, newPreview(e, ahead, names, noise, warnings))
	}
	a.say(strings.TrimSuffix(e.Name+": "+e.Question, ": "))
	fmt.Fprintln(a.stdout)
	a.say(seed(e))
	a.printOrder(ahead.Schedule)
	a.printTuned(ahead)
	a.printNeeds(ahead, e)
	for _, line := range planLines(e) {
		a.say(line)
	}
	if len(noise) > 0 {
		a.tellPower(e, strings.Join(names, " and "), noise, blockTime(e, ahead))
		fmt.Fprintln(a.stdout)
	} else if len(e.Environments) > 1 {
		a.say("Which effect they can see is not known: plinth aa measures the noise of this machine.")
	}
	for _, w := range warnings {
		a.say("warning: " + w.Text)
	}
	return nil
}

// say prints a paragraph that fits the terminal.
func (a *app) say(text string) { fmt.Fprint(a.stdout, prose.Paragraph(text).Text(a.width())) }

// blockTime is how long a block takes, in seconds; 0 when that is not known.
func blockTime(e *experiment.Experiment, p preview.Preview) float64 {
	return float64(len(e.Environments)) * p.RunTime.Seconds()
}

// seed says what the order follows from, and how to get the same one again.
func seed(e *experiment.Experiment) string {
	if e.SeedChosen {
		return fmt.Sprintf("seed %d, chosen now: --set seed=%d runs in this very order", e.Seed, e.Seed)
	}
	return fmt.Sprintf("seed %d", e.Seed)
}

// printOrder prints a line for each stretch of runs of one cell: a block, or a
// single run where environments are interleaved by repeat.
func (a *app) printOrder(schedule experiment.Schedule) {
	number, cells := 0, longestCell(schedule)
	for i, slots := range schedule {
		fmt.Fprintf(a.stdout, "repeat %d\n", i+1)
		for len(slots) > 0 {
			stretch := sameCell(slots)
			names := make([]string, stretch)
			for j, slot := range slots[:stretch] {
				names[j] = slot.Environment
			}
			a.printStretch(number+1, slots[0].Cell.Path(), strings.Join(names, ", "), cells)
			number += stretch
			slots = slots[stretch:]
		}
	}
}

// printStretch has cells and environments in columns where a terminal has room for
// both.
func (a *app) printStretch(number int, cell, environments string, cells int) {
	first, width := fmt.Sprintf("  %4d  ", number), a.width()
	column := fmt.Sprintf("%s%-*s  ", first, cells, cell)
	if longest := slices.MaxFunc(strings.Fields(environments), byLength); len(column)+len(longest) > width {
		fmt.Fprint(a.stdout, prose.Hanging(first, cell+": "+environments, width))
		return
	}
	fmt.Fprint(a.stdout, prose.Hanging(column, environments, width))
}

func byLength(a, b string) int { return len(a) - len(b) }

func longestCell(schedule experiment.Schedule) int {
	longest := 0
	for _, slots := range schedule {
		for _, slot := range slots {
			longest = max(longest, len(slot.Cell.Path()))
		}
	}
	return longest
}

func sameCell(slots []experiment.Slot) int {
	n := 1
	for n < len(slots) && slots[n].Cell == slots[0].Cell {
		n++
	}
	return n
}

func (a *app) printNeeds(p preview.Preview, e *experiment.Experiment) {
	table := prose.Table{
		Title:   "What it needs",
		Columns: []prose.Column{{Title: ""}, {Title: "Needed", Right: true}, {Title: "There is", Right: true}},
	}
	for _, disk := range p.Disks {
		table.Rows = append(table.Rows, []string{"disk at " + disk.Path, size(disk.Needed), size(disk.Free)})
	}
	table.Rows = append(table.Rows, []string{"memory", size(p.Memory), size(p.Available)})
	fmt.Fprintln(a.stdout)
	fmt.Fprint(a.stdout, table.Text(a.width()))
	fmt.Fprintln(a.stdout)
	a.say(servers(p))
	a.say(howLong(p, experiment.WordsOf(e.Engine)))
}

func servers(p preview.Preview) string {
	if p.SideBySide {
		return "All servers stay up side by side."
	}
	why := "side by side they would fill over 60 % of the available memory"
	if p.Differs {
		why = "the machine is tuned anew for each environment"
	}
	return fmt.Sprintf("One server is up at a time (%s): %d switches, about %s in all.", why, p.Switches, about(p.SwitchTime))
}

func howLong(p preview.Preview, w experiment.Words) string {
	if p.Total == 0 {
		return fmt.Sprintf("%d runs; how long a number of %s takes is known after the first.", p.Runs, w.Units())
	}
	return fmt.Sprintf("%d runs of about %s: %s in all, %s of it loading.",
		p.Runs, p.RunTime.Round(100*time.Millisecond), about(p.Total), about(p.LoadTime))
}

func size(bytes int64) string { return unit.Size(bytes).String() }

// about prints a length of time without false precision.
func about(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}
