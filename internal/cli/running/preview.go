package running

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/runner"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/tuning"
	"plinth/internal/stats"
	"plinth/internal/unit"
	"plinth/internal/verdict"
)

// dryRun prints what an experiment will do and take, and does nothing. It returns an error if the
// experiment cannot run here.
func (a *app) dryRun(ctx context.Context, options runner.Options, flags runFlags) error {
	a.OnStop(base.StopLooking)
	ahead, refused := runner.Look(ctx, options)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if ahead.Runs == 0 {
		return refused
	}
	e := options.Experiment
	names, noise, err := noiseHere(a.Store, e)
	if err != nil {
		names, noise = nil, nil // an unreadable store only costs the noise
	}
	warnings := append(options.Warnings, ahead.Warnings...)
	var forms []formTime
	if !flags.self && flags.resume == "" {
		forms = otherForms(options.Source, e, flags.abbreviated())
	}
	if flags.json {
		document := newPreview(e, ahead, names, noise, warnings)
		document.Forms = forms
		return errors.Join(a.WriteJSON(document), refused)
	}
	a.say(strings.TrimSuffix(e.Name+": "+e.Question, ": "))
	fmt.Fprintln(a.Stdout)
	order := fmt.Sprintf("seed %d", e.Seed) // the source of the order, and how to repeat it
	if e.SeedChosen {
		order = fmt.Sprintf("seed %d, chosen at random: --set seed=%d repeats this order", e.Seed, e.Seed)
	}
	a.say(order)
	a.printOrder(ahead.Schedule)
	a.printTuned(ahead)
	a.printNeeds(ahead, e)
	if len(forms) > 0 {
		a.say(formsLine(forms))
	}
	for _, line := range ahead.Bursts {
		a.say(line)
	}
	for _, line := range planLines(e) {
		a.say(line)
	}
	if len(noise) > 0 {
		a.printPower(e, strings.Join(names, " and "), noise, blockTime(e, ahead))
		fmt.Fprintln(a.Stdout)
	} else if len(e.Environments) > 1 {
		a.say("The detectable effect is unknown: plinth aa measures the noise of this machine.")
	}
	for _, w := range warnings {
		a.say("warning: " + w.Text)
	}
	return refused
}

// blockTime returns the duration of a block, in seconds; 0 if unknown.
func blockTime(e *experiment.Experiment, p preview.Preview) float64 {
	return float64(len(e.Environments)) * p.RunTime.Seconds()
}

// printOrder prints a line for each sequence of runs of one cell: a block, or a single run if
// environments are interleaved by repeat. Cells and environments are aligned in columns if the
// terminal is wide enough.
func (a *app) printOrder(schedule experiment.Schedule) {
	cells, width := 0, a.Width()
	for _, slots := range schedule {
		for _, slot := range slots {
			cells = max(cells, len(slot.Cell.Path()))
		}
	}
	number := 1
	for i, slots := range schedule {
		fmt.Fprintf(a.Stdout, "repeat %d\n", i+1)
		for len(slots) > 0 {
			var names []string
			for n := 0; n < len(slots) && slots[n].Cell == slots[0].Cell; n++ {
				names = append(names, slots[n].Environment)
			}
			cell, environments := slots[0].Cell.Path(), strings.Join(names, ", ")
			first := fmt.Sprintf("  %4d  ", number)
			column := fmt.Sprintf("%s%-*s  ", first, cells, cell)
			longest := slices.MaxFunc(strings.Fields(environments), func(a, b string) int { return len(a) - len(b) })
			if len(column)+len(longest) > width {
				column, environments = first, cell+": "+environments
			}
			fmt.Fprint(a.Stdout, prose.Hanging(column, environments, width))
			number, slots = number+len(names), slots[len(names):]
		}
	}
}

// printTuned prints what will be tuned for each environment: knobs of the whole machine, and of
// its own server and storage.
func (a *app) printTuned(p preview.Preview) {
	for _, e := range p.Tuned {
		table := prose.Table{
			Title:   "Tuning for " + e.Name,
			Columns: []prose.Column{{Title: "Layer"}, {Title: "Knob"}, {Title: "Now", Right: true}, {Title: "Tuned", Right: true}, {Title: "Scope"}},
		}
		for _, k := range e.Knobs {
			scope := "environment"
			if k.Host {
				scope = "machine"
			}
			if k.NotApplicable == "" {
				table.Rows = append(table.Rows, []string{k.Layer, k.Key, k.Was, k.Value, scope})
			}
		}
		fmt.Fprintln(a.Stdout)
		fmt.Fprint(a.Stdout, table.Text(a.Width()))
		for _, k := range e.Knobs {
			if k.NotApplicable != "" {
				a.say(fmt.Sprintf("%s %s is not applicable here: %s", k.Key, k.Value, k.NotApplicable))
			}
		}
	}
	for _, l := range p.LeftOut {
		fmt.Fprintln(a.Stdout)
		a.say(fmt.Sprintf("%s is left out, not applicable here: %s", l.Environment, l.Reason))
	}
}

func (a *app) printNeeds(p preview.Preview, e *experiment.Experiment) {
	table := prose.Table{
		Title:   "Requirements",
		Columns: []prose.Column{{Title: ""}, {Title: "Needed", Right: true}, {Title: "Available", Right: true}},
	}
	for _, disk := range p.Disks {
		table.Rows = append(table.Rows, []string{"disk at " + disk.Path, size(disk.Needed), size(disk.Free)})
	}
	if p.Memory > 0 {
		table.Rows = append(table.Rows, []string{"memory", size(p.Memory), size(p.Available)})
	}
	fmt.Fprintln(a.Stdout)
	if len(table.Rows) > 0 { // none where all servers are elsewhere
		fmt.Fprint(a.Stdout, table.Text(a.Width()))
		fmt.Fprintln(a.Stdout)
	}
	for _, line := range machines(e) {
		a.say(line)
	}
	a.say(servers(p))
	if p.Total == 0 {
		a.say(fmt.Sprintf("%d runs of a fixed number of %s: their duration is known after the first run.", p.Runs, experiment.TermsOf(e.Engine).Units()))
		return
	}
	a.say(fmt.Sprintf("%d runs of about %s: %s in all, %s of it loading.",
		p.Runs, p.RunTime.Round(100*time.Millisecond), unit.About(p.Total), unit.About(p.LoadTime)))
}

// machines says on which machines the environments and the load generators are; nothing if all are on the
// one that plinth was started on.
func machines(e *experiment.Experiment) (lines []string) {
	var names []string // of machines, in the order of the environments
	on := map[string][]string{}
	for _, environment := range e.Environments {
		at := environment.Machine()
		if on[at] == nil {
			names = append(names, at)
		}
		on[at] = append(on[at], environment.Name)
	}
	for _, at := range names {
		lines = append(lines, fmt.Sprintf("On %s: %s.", record.MachineName(at), strings.Join(on[at], ", ")))
	}
	if len(e.OnKubernetes()) > 0 {
		return append(lines, fmt.Sprintf("The servers on Kubernetes are driven by %s there.", unit.Count(max(1, e.Driver.Pods), "pod")))
	}
	if !e.Driver.Elsewhere() {
		if len(names) == 1 && names[0] == "" {
			return nil
		}
		return lines
	}
	var from []string
	for _, at := range e.Driver.At {
		from = append(from, record.MachineName(at.Machine()))
	}
	return append(lines, "The load comes from "+strings.Join(from, ", ")+", over the network.")
}

func servers(p preview.Preview) string {
	if p.SideBySide {
		return "All servers run side by side."
	}
	why := "together they would take over 60 % of the available memory"
	switch {
	case p.Differs:
		why = "the machine is retuned for each environment"
	case p.Sharing:
		why = "environments share their data"
	}
	return fmt.Sprintf("One server runs at a time (%s): %d switches, about %s in all.", why, p.Switches, unit.About(p.SwitchTime))
}

// previewSchema is the schema of a dry run's JSON output.
const previewSchema = "plinth/preview/v1"

// previewDocument is the JSON output of a dry run, documented in docs/record.md.
type previewDocument struct {
	Schema       string               `json:"schema"`
	Name         string               `json:"name"`
	Question     string               `json:"question"`
	Seed         uint64               `json:"seed"`
	Order        []previewRun         `json:"order"`
	Environments []previewEnvironment `json:"environments"`
	Disks        []previewDisk        `json:"disks"`
	Memory       int64                `json:"memory_bytes"`
	Available    int64                `json:"available_memory_bytes"`
	SideBySide   bool                 `json:"side_by_side"`
	Switches     int                  `json:"switches"`
	SwitchTime   float64              `json:"switch_s"`
	LoadTime     float64              `json:"load_s"`
	RunTime      float64              `json:"run_s"`
	Total        float64              `json:"total_s"`
	Forms        []formTime           `json:"forms,omitempty"`
	Plan         *record.Plan         `json:"plan,omitempty"`
	Fewest       *verdict.Fewest      `json:"fewest,omitempty"`
	NoiseOf      []string             `json:"noise_of,omitempty"`
	Power        []verdict.Power      `json:"power,omitempty"`
	Tuned        []tuning.Environment `json:"tuned,omitempty"`
	LeftOut      []record.LeftOut     `json:"left_out,omitempty"`
	Bursts       []string             `json:"bursts,omitempty"`
	Warnings     []record.Note        `json:"warnings"`
}

type previewRun struct {
	Number      int    `json:"number"`
	Environment string `json:"environment"`
	experiment.Cell
	Repeat   int `json:"repeat"`
	Position int `json:"position"`
}

type previewEnvironment struct {
	Name       string  `json:"name"`
	Connected  bool    `json:"connected"`
	Disk       int64   `json:"disk_bytes"`
	WALDisk    int64   `json:"wal_disk_bytes"`
	Memory     int64   `json:"memory_bytes"`
	LoadTime   float64 `json:"load_s"`
	SwitchTime float64 `json:"switch_s"`
}

type previewDisk struct {
	Path   string `json:"path"`
	Mount  string `json:"mount"`
	Needed int64  `json:"needed_bytes"`
	Free   int64  `json:"free_bytes"`
}

// newPreview extends p with how e will be decided, and which effects its blocks can detect, given
// the noise measured by the records in names.
func newPreview(e *experiment.Experiment, p preview.Preview, names []string, noise []record.Noise, warnings []experiment.Warning) previewDocument {
	out := previewDocument{
		Schema: previewSchema, Name: e.Name, Question: e.Question, Seed: e.Seed, Order: []previewRun{},
		Environments: []previewEnvironment{}, Disks: []previewDisk{}, Memory: p.Memory, Available: p.Available,
		SideBySide: p.SideBySide, Switches: p.Switches, SwitchTime: p.SwitchTime.Seconds(),
		LoadTime: p.LoadTime.Seconds(), RunTime: p.RunTime.Seconds(), Total: p.Total.Seconds(),
		Plan: verdict.PlanOf(e), NoiseOf: names, Tuned: p.Tuned, LeftOut: p.LeftOut, Bursts: p.Bursts, Warnings: []record.Note{},
	}
	if plan := out.Plan; plan != nil {
		alpha := plan.Looks[len(plan.Looks)-1].Alpha
		out.Fewest = &verdict.Fewest{Workload: stats.Fewest(alpha, plan.Family), Cell: stats.Fewest(alpha, plan.Cells)}
	}
	out.Power = verdict.PowerOf(e, out.Plan, noise, blockTime(e, p))
	for _, slots := range p.Schedule {
		for _, slot := range slots {
			out.Order = append(out.Order, previewRun{len(out.Order) + 1, slot.Environment, slot.Cell, slot.Repeat, slot.Position})
		}
	}
	for _, n := range p.Needs {
		out.Environments = append(out.Environments, previewEnvironment{
			n.Name, n.Connected, n.Volumes[experiment.RoleData], n.Volumes[experiment.RoleWAL], n.Memory, n.LoadTime.Seconds(), n.SwitchTime.Seconds(),
		})
	}
	for _, d := range p.Disks {
		out.Disks = append(out.Disks, previewDisk{d.Path, d.Mount, d.Needed, d.Free})
	}
	for _, w := range warnings {
		out.Warnings = append(out.Warnings, record.Note{Rule: w.Rule, Text: w.Text, Hint: w.Hint})
	}
	return out
}

// say prints a paragraph, wrapped to the terminal.
func (a *app) say(text string) { fmt.Fprint(a.Stdout, prose.Paragraph(text).Text(a.Width())) }

func size(bytes int64) string { return unit.Size(bytes).String() }
