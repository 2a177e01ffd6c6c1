package report

import (
	"fmt"
	"slices"

	"plinth/internal/record"
)

func notValid(runs []record.Run) []NotValid {
	found := []NotValid{}
	for _, run := range runs {
		if run.Status != record.Valid {
			found = append(found, NotValid{run.Number, run.RunID, run.Status, run.Reasons})
		}
	}
	return found
}

// warnings puts each warning where it belongs: what all runs share, and what the
// record says of the experiment, once; the others beside the environment whose
// numbers they weaken.
func (g *gathering) warnings(show *Show, runs []record.Run) {
	show.Warnings = []record.Note{}
	for _, note := range g.rec.Summary.Warnings {
		// Those two are made anew from the runs that are shown.
		if note.Rule != record.RuleBlockInvalid && note.Rule != record.RuleBlockIncomplete {
			show.Warnings = append(show.Warnings, note)
		}
	}
	if record.Fingerprint(g.rec.ExperimentYAML) != g.rec.Summary.Fingerprint {
		show.Warnings = append(show.Warnings, record.Note{Rule: "experiment-edited",
			Text: "experiment.yaml in this record was edited after the experiment began"})
	}
	shared := runWarnings(runs, true)
	show.Warnings = append(show.Warnings, shared...)
	for i := range show.Environments {
		e := &show.Environments[i]
		own := slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Environment != e.Name })
		e.Warnings = append(e.Warnings, g.rec.Environments[e.Name].Warnings...)
		for _, note := range runWarnings(own, false) {
			if !hasRule(shared, note.Rule) {
				e.Warnings = append(e.Warnings, note)
			}
		}
	}
}

// runWarnings gathers the warnings of runs by rule, each with the number of runs
// that have it. With all, only those that every run has.
func runWarnings(runs []record.Run, all bool) []record.Note {
	first := map[string]record.Note{}
	count := map[string]int{}
	var rules []string
	for _, run := range runs {
		for _, note := range onePerRule(run.Warnings) {
			if count[note.Rule] == 0 {
				first[note.Rule] = note
				rules = append(rules, note.Rule)
			}
			count[note.Rule]++
		}
	}
	var notes []record.Note
	for _, rule := range rules {
		note := first[rule]
		if count[rule] < len(runs) {
			if all {
				continue
			}
			note.Text = fmt.Sprintf("%s (%d of %s)", note.Text, count[rule], plural(len(runs), "run"))
		}
		notes = append(notes, note)
	}
	return notes
}

func onePerRule(notes []record.Note) []record.Note {
	var kept []record.Note
	for _, note := range notes {
		if !hasRule(kept, note.Rule) {
			kept = append(kept, note)
		}
	}
	return kept
}

func hasRule(notes []record.Note, rule string) bool {
	return slices.ContainsFunc(notes, func(n record.Note) bool { return n.Rule == rule })
}

func (g *gathering) method() Method {
	s := g.rec.Summary
	m := Method{
		Seed: s.Seed, Interleave: g.exp.Interleave, Repeats: g.exp.Repeats,
		Duration: g.exp.Duration.Seconds(), Transacted: g.exp.Transactions, Warmup: g.exp.Warmup.Seconds(),
		Loop: "closed", Runs: len(g.rec.Runs), Plinth: s.Plinth, Machine: s.Machine, Drivers: []string{},
	}
	if len(g.exp.Rates) > 0 {
		m.Loop = "open"
	}
	var dead []float64
	for _, run := range g.rec.Runs {
		dead = append(dead, run.Phases.Dead)
		driver := run.Driver.Program + " " + run.Driver.Version
		if run.Driver.Program != "" && !slices.Contains(m.Drivers, driver) {
			m.Drivers = append(m.Drivers, driver)
		}
	}
	slices.Sort(m.Drivers)
	if len(dead) > 0 {
		slices.Sort(dead)
		m.DeadMedian = (dead[(len(dead)-1)/2] + dead[len(dead)/2]) / 2
		m.DeadMax = dead[len(dead)-1]
	}
	return m
}
