package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/runner"
	"plinth/internal/unit"
	"plinth/internal/verdict"
)

// dryRun prints what an experiment will do and take, without doing anything.
func (a *app) dryRun(options runner.Options, asJSON bool) error {
	preview, err := runner.Look(options)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(a, preview)
	}
	e := options.Experiment
	fmt.Fprintf(a.stdout, "%s\n\n", strings.TrimSuffix(e.Name+": "+report.Clean(e.Question), ": "))
	fmt.Fprintln(a.stdout, seed(e))
	a.printOrder(preview.Schedule)
	a.printNeeds(preview)
	for _, line := range planLines(e) {
		fmt.Fprint(a.stdout, report.Paragraph(line, a.width()))
	}
	if name, noise, err := a.noiseHere(e); err == nil && name != "" {
		blockTime := float64(len(e.Environments)) * preview.RunTime.Seconds()
		a.tellPower(e, name, noise, blockTime)
		fmt.Fprintln(a.stdout)
	}
	for _, w := range append(options.Warnings, preview.Warnings...) {
		fmt.Fprintf(a.stdout, "warning: %s\n", report.Clean(w.Text))
	}
	return nil
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
	number := 0
	for i, slots := range schedule {
		fmt.Fprintf(a.stdout, "repeat %d\n", i+1)
		for len(slots) > 0 {
			stretch := sameCell(slots)
			names := make([]string, stretch)
			for j, slot := range slots[:stretch] {
				names[j] = slot.Environment
			}
			fmt.Fprintf(a.stdout, "  %4d  %-28s %s\n", number+1, slots[0].Cell.Path(), strings.Join(names, ", "))
			number += stretch
			slots = slots[stretch:]
		}
	}
}

func sameCell(slots []experiment.Slot) int {
	n := 1
	for n < len(slots) && slots[n].Cell == slots[0].Cell {
		n++
	}
	return n
}

func (a *app) printNeeds(p runner.Preview) {
	table := report.Table{
		Title:   "What it needs",
		Columns: []report.Column{{Title: ""}, {Title: "Needed", Right: true}, {Title: "There is", Right: true}},
	}
	for _, disk := range p.Disks {
		table.Rows = append(table.Rows, []string{"disk at " + disk.Path, size(disk.Needed), size(disk.Free)})
	}
	table.Rows = append(table.Rows, []string{"memory", size(p.Memory), size(p.Available)})
	fmt.Fprintln(a.stdout)
	table.Text(a.stdout)
	fmt.Fprintln(a.stdout)
	fmt.Fprintln(a.stdout, servers(p))
	fmt.Fprintln(a.stdout, howLong(p))
}

// noiseHere is what a comparison of equals has found on this machine.
func (a *app) noiseHere(e *experiment.Experiment) (name string, noise []record.Noise, err error) {
	facts, err := host.ReadFacts()
	if err != nil {
		return "", nil, err
	}
	plan := verdict.PlanOf(e)
	if plan == nil {
		return "", nil, nil
	}
	var wanted []record.Quantity
	for _, w := range e.Workloads {
		wanted = append(wanted, record.Quantity{Workload: w.Name, Metric: plan.Metric})
	}
	found, err := record.LatestNoise(a.store, e.Engine, facts, wanted)
	var names []string
	for _, n := range found {
		noise = append(noise, n.Noise)
		if !slices.Contains(names, n.Record) {
			names = append(names, n.Record)
		}
	}
	return strings.Join(names, " and "), noise, err
}

func servers(p runner.Preview) string {
	if p.SideBySide {
		return "All servers stay up side by side."
	}
	return fmt.Sprintf("One server is up at a time (side by side they would fill over 60 %% of the\n"+
		"available memory): %d switches, about %s in all.", p.Switches, about(p.SwitchTime))
}

func howLong(p runner.Preview) string {
	if p.Total == 0 {
		return fmt.Sprintf("%d runs; how long a number of transactions takes is known after the first.", p.Runs)
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
