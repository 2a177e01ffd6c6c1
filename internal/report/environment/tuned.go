package environment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// tunedKnob is a knob with its value in some environments.
type tunedKnob struct {
	record.Knob
	in []string
}

// tunedKnobs returns the knobs of all environments by layer, those with the same value once.
func tunedKnobs(environments []record.Environment) []tunedKnob {
	var all []tunedKnob
	for _, e := range environments {
		if e.Tuning == nil {
			continue
		}
		for _, k := range e.Tuning.Knobs {
			at := slices.IndexFunc(all, func(o tunedKnob) bool {
				return o.Key == k.Key && o.Value == k.Value && o.NotApplicable == k.NotApplicable
			})
			if at < 0 {
				at = len(all)
				all = append(all, tunedKnob{Knob: k})
			}
			if !slices.Contains(all[at].in, e.Name) {
				all[at].in = append(all[at].in, e.Name)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b tunedKnob) int { return cmp.Compare(layerPlace(a.Layer), layerPlace(b.Layer)) })
	return all
}

// layerPlace returns the rank of a layer from the bottom up; unknown ones are last.
func layerPlace(layer string) int {
	at := slices.Index(knob.Layers(), knob.Layer(layer))
	if at < 0 {
		return len(knob.Layers())
	}
	return at
}

// Tuned reports the tuning of the environments: each value with the previous one and the
// reason; nil without tuning.
func Tuned(environments []record.Environment) prose.Document {
	knobs := tunedKnobs(environments)
	if len(knobs) == 0 {
		return nil
	}
	tunedIn := 0
	for _, e := range environments {
		if e.Tuning != nil && len(e.Tuning.Knobs) > 0 {
			tunedIn++
		}
	}
	t := prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Knob"}, {Title: "Was"}, {Title: "Set to"}, {Title: "Of"}, {Title: "In"}, {Title: "Why"}}}
	var missing prose.List
	for _, k := range knobs {
		if k.NotApplicable != "" {
			missing = append(missing, k.Key+" is not applicable here: "+k.NotApplicable+" ("+inWords(k.in, environments, tunedIn)+")")
			continue
		}
		t.Rows = append(t.Rows, []string{k.Key, cmp.Or(k.Was, phrase.None), k.Value, cmp.Or(strings.Trim(k.From+", "+k.Group, ", "), phrase.None),
			inWords(k.in, environments, tunedIn), cmp.Or(k.Reason, phrase.None)})
	}
	d := prose.Document{prose.Heading("Tuned knobs")}
	if len(t.Rows) > 0 {
		d.Add(prose.WordTable(t))
	}
	d.Add(missing)
	addPods(&d, environments)
	return d
}

// inWords lists the environments with a value, abbreviated if there are many.
func inWords(in []string, all []record.Environment, tuned int) string {
	var not []string
	for _, e := range all {
		if e.Tuning != nil && len(e.Tuning.Knobs) > 0 && !slices.Contains(in, e.Name) {
			not = append(not, e.Name)
		}
	}
	switch {
	case len(in) == tuned && tuned > 1:
		return "all that are tuned"
	case len(in) > 3 && len(not) <= 2:
		return "all that are tuned but " + strings.Join(not, ", ")
	}
	return strings.Join(in, ", ")
}

// AddTuned adds a summary of each environment's tuning.
func AddTuned(d *prose.Document, environments []record.Environment) {
	var lines prose.List
	for _, e := range environments {
		if t := e.Tuning; t != nil {
			if line := tunedLine(*t); line != "" {
				lines = append(lines, e.Name+": "+line)
			}
		}
	}
	if len(lines) > 0 {
		d.Add(prose.Heading("Tuned knobs"), lines)
		addPods(d, environments)
	}
}

// tunedLine returns "PROFILE: vm.swappiness 60 → 1, ...; 1 not applicable here".
func tunedLine(t record.Tuning) string {
	const most = 5
	var set []string
	missing := 0
	for _, k := range t.Knobs {
		if k.NotApplicable != "" {
			missing++
			continue
		}
		set = append(set, phrase.Knob(k))
	}
	var parts []string
	if len(t.Profiles) > 0 {
		parts = append(parts, strings.Join(t.Profiles, ", "))
	}
	if len(set) > most {
		set = append(set[:most:most], fmt.Sprintf("and %d more", len(set)-most))
	}
	if len(set) > 0 {
		parts = append(parts, strings.Join(set, ", "))
	}
	text := strings.Join(parts, ": ")
	if missing > 0 {
		text = strings.TrimPrefix(text+"; "+fmt.Sprintf("%d not applicable here", missing), "; ")
	}
	return text
}

// tunedProperties returns the knobs set below the server; those of the server are among its
// settings.
func tunedProperties(e record.Environment) []property {
	if e.Tuning == nil {
		return nil
	}
	var all []property
	for _, k := range e.Tuning.Knobs {
		if k.Layer != string(knob.Server) && k.NotApplicable == "" {
			all = append(all, property{k.Key, k.Value})
		}
	}
	return all
}

// tunes reports whether an environment's tuning sets a knob.
func tunes(e record.Environment, key string) bool {
	return e.Tuning != nil && slices.ContainsFunc(e.Tuning.Knobs, func(k record.Knob) bool { return k.Key == key && k.NotApplicable == "" })
}

// SwitchLines reports the switches of the host's tuning between environments and their
// durations; nil without any.
func SwitchLines(runs []record.Run) prose.List {
	var took []float64
	var switches []record.Switch
	for _, run := range runs {
		if s := run.Phases.Switched; s != nil {
			took, switches = append(took, run.Phases.Switch), append(switches, *s)
		}
	}
	if len(switches) == 0 {
		return nil
	}
	slices.Sort(took)
	part := func(of func(record.Switch) float64) float64 {
		var values []float64
		for _, s := range switches {
			values = append(values, of(s))
		}
		slices.Sort(values)
		return show.Median(values)
	}
	dirty := int64(0)
	for _, s := range switches {
		dirty = max(dirty, s.Dirty)
	}
	times := "once"
	if len(switches) > 1 {
		times = phrase.Count(float64(len(switches))) + " times"
	}
	return prose.List{fmt.Sprintf("the machine was retuned between environments %s: median %s, at most %s, of which (medians) stop %s, sync %s, tune %s, start %s, settle %s; at most %s were dirty or under write-back after the sync",
		times, phrase.Took(show.Median(took)), phrase.Took(took[len(took)-1]),
		phrase.Took(part(func(s record.Switch) float64 { return s.Stop })), phrase.Took(part(func(s record.Switch) float64 { return s.Sync })),
		phrase.Took(part(func(s record.Switch) float64 { return s.Tune })), phrase.Took(part(func(s record.Switch) float64 { return s.Start })),
		phrase.Took(part(func(s record.Switch) float64 { return s.Settle })), phrase.Bytes(dirty))}
}
