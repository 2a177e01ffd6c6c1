package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/record"
	"plinth/internal/search"
	"plinth/internal/unit"
)

// writeProfile writes a point as a profile: what the start has, and what was found, each with its evidence.
func (s *Study) writeProfile(name string, at search.Point, verdicts []record.Verdict) error {
	p, err := s.Profile(at, verdicts)
	if err != nil {
		return err
	}
	text, err := p.YAML()
	if err != nil {
		return err
	}
	return s.write(name, text)
}

// writeAblation writes the experiment that measures what each change of the found profile does: with all of them, without each of
// them, and without any.
func (s *Study) writeAblation() error {
	start, found := search.New(s.Space).At(), s.Confirmation.At
	e := s.experiment("ablation", "What does each change of the found tuning do?")
	e.Environments, e.Baseline = []experiment.Environment{s.environment(foundName, found)}, foundName
	var without []experiment.Environment
	for i, level := range found {
		if level == start[i] {
			continue
		}
		at := slices.Clone(found)
		at[i] = start[i]
		without = append(without, s.environment("without-"+nameOf(s.Space[i].Name), at))
	}
	if len(without) > 1 { // without the only one, it is the start
		e.Environments = append(e.Environments, without...)
	}
	e.Environments = append(e.Environments, s.environment(s.startName(), start))
	e.Repeats = max(e.Repeats, sparing(e))
	return s.write(Ablation, encode.YAML(e))
}

// Title returns the title of a metric in the words of the engine: "RPS".
func (s *State) Title(metric string) string {
	m, err := experiment.ParseMetric(metric)
	if err != nil {
		return metric
	}
	return experiment.TermsOf(s.Engine).Say(m.Title)
}

// conditions says under which conditions something was found: "on 2 CPUs, 1.3 GiB of memory, a dataset of scale 100".
func (s *Study) conditions(on *record.Machine) string {
	env := s.base.Environments[0]
	cpus, memory := on.CPUs, on.Memory.Total
	if limit := env.Limits.CPUs; limit > 0 {
		cpus = min(cpus, limit)
	}
	if limit := int64(env.Limits.Memory); limit > 0 {
		memory = min(memory, limit)
	}
	text := fmt.Sprintf("on %s, %s of memory", unit.Count(cpus, "CPU"), unit.Size(memory))
	if scale := s.base.Dataset.Scale; scale > 0 {
		text += fmt.Sprintf(", a dataset of scale %d", scale)
	}
	switch device := env.Storage.Data.Emulate; {
	case device.Name != "":
		text += ", an emulated " + device.Name
	case device.Of != "":
		text += fmt.Sprintf(", an emulated RAID %s of %d %s", device.RAID, device.Members, device.Of)
	}
	if fs := env.Storage.Data.Filesystem; fs != "" {
		text += ", " + fs
	}
	return text
}

// Profile returns a point as a profile.
func (s *Study) Profile(at search.Point, verdicts []record.Verdict) (*profile.Profile, error) {
	start, err := s.startSettings()
	if err != nil {
		return nil, err
	}
	known := s.Known()
	p := &profile.Profile{
		Name:   foundName,
		Unsafe: s.unsafe(),
		About:  fmt.Sprintf("found by plinth tune search for the experiment %s, from %s", s.base.Name, s.Start),
		Source: knob.Source{Author: "plinth tune search", Title: s.base.Question, Section: s.Created.Format(time.DateOnly)},
	}
	if c := s.Confirmation; c != nil && len(verdicts) > 0 {
		for _, v := range slices.Concat(verdicts, c.Beside) {
			p.About += "; " + v.Workload
			if v.Clients > 0 { // zero if there is one number
				p.About += ", " + unit.Count(v.Clients, "client")
			}
			p.About += fmt.Sprintf(": %s %+.1f %% (%+.1f to %+.1f)", s.Title(v.Metric), 100*v.Effect, 100*v.Low, 100*v.High)
		}
		p.About += fmt.Sprintf(", as %s measured", c.Record)
		if rec := s.confirmed; rec != nil && rec.Machine != nil && rec.Machine.CPUs > 0 {
			p.About += " " + s.conditions(rec.Machine)
		}
		if len(s.Notes) > 0 {
			p.About += ". What weakens it: " + strings.Join(s.Notes, " ")
		}
	}
	found := &profile.Profile{}
	for i, level := range at {
		d := s.Space[i]
		for key, value := range d.Levels[level].Values {
			setting := profile.Of(map[string]string{key: value}).Settings[0]
			setting.Group, setting.Reason = d.Name, fmt.Sprintf("against %s, %s changes by %s, as the search estimates it",
				d.Levels[d.Start].Text, s.Title(s.Objective), s.Change(known.Gain(i, level)))
			if risk := d.Levels[level].Risk; risk != search.NoRisk {
				setting.Reason += "; the runs do not show a risk: " + risk.About()
			}
			found.Settings = append(found.Settings, setting)
		}
	}
	slices.SortFunc(found.Settings, func(a, b profile.Setting) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Key.String(), b.Key.String()))
	})
	p.Settings, err = profile.Together([]*profile.Profile{{Settings: start}, found})
	return p, err
}
