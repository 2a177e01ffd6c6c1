package show

import (
	"slices"
	"strings"

	"plinth/internal/record"
)

// warnings assigns each warning to the one environment that it concerns, or else to the
// experiment, once.
func (g *gathering) warnings(show *Numbers, runs []record.Run) {
	show.Warnings = []record.Note{}
	for _, note := range g.rec.Summary.Warnings {
		// These two are generated again from the selected runs.
		if note.Rule != record.RuleBlockInvalid && note.Rule != record.RuleBlockIncomplete {
			show.Warnings = append(show.Warnings, note)
		}
	}
	if record.Fingerprint(g.rec.ExperimentYAML) != g.rec.Summary.Fingerprint {
		show.Warnings = append(show.Warnings, record.Note{Rule: "experiment-edited",
			Text: "experiment.yaml in this record was edited after the experiment began"})
	}
	for i := range show.Environments {
		e := &show.Environments[i]
		e.Warnings = append(e.Warnings, g.rec.Environments[e.Name].Warnings...)
	}
	for _, w := range runWarnings(runs) {
		name := w.only()
		at := slices.IndexFunc(show.Environments, func(e Environment) bool { return e.Name == name })
		if at < 0 || len(w.runs) == len(runs) {
			show.Warnings = append(show.Warnings, w.note(runs))
			continue
		}
		e := &show.Environments[at]
		own := slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Environment != name })
		e.Warnings = append(e.Warnings, w.note(own))
	}
}

func (g *gathering) method() Method {
	s := g.rec.Summary
	m := Method{
		Seed: s.Seed, Interleave: g.exp.Interleave, Repeats: g.exp.Repeats,
		Duration: g.exp.Duration.Seconds(), Transacted: g.exp.Transactions, Warmup: g.exp.Warmup.Seconds(),
		Loop: "closed", Runs: len(g.rec.Runs), Plinth: s.Plinth, Machine: s.Machine, Machines: s.Machines, Drivers: []string{},
	}
	if len(g.exp.Rates) > 0 {
		m.Loop = "open"
	}
	if g.rec.Import != nil {
		m.Imported = g.rec.Import.Order
	}
	for _, at := range g.exp.Driver.At {
		m.DrivenFrom = append(m.DrivenFrom, record.MachineName(at.Machine()))
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
		m.DeadMedian = Median(dead)
		m.DeadMax = dead[len(dead)-1]
	}
	return m
}

// EachWarning calls add for each warning. The name identifies the record if there are several.
func (s *Numbers) EachWarning(name string, add func(note record.Note, of string)) {
	for _, e := range s.Environments {
		for _, note := range e.Warnings {
			add(note, strings.TrimPrefix(name+"/"+e.Name, "/"))
		}
	}
	for _, note := range s.Warnings {
		of := Owner(note)
		if name != "" {
			of = name
		}
		add(note, of)
	}
}

// Owner returns the environment of a note. Parity notes concern two, which their text names.
func Owner(note record.Note) string {
	if strings.HasPrefix(note.Rule, "parity") {
		return ""
	}
	return note.Environment
}
