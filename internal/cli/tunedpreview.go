package cli

import (
	"fmt"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
)

// printTuned says what is tuned for each environment before anything is: what of the
// whole machine, and what of its own server and storage.
func (a *app) printTuned(p preview.Preview) {
	for _, e := range p.Tuned {
		table := prose.Table{
			Title:   "What is tuned for " + e.Name,
			Columns: []prose.Column{{Title: "Layer"}, {Title: "Knob"}, {Title: "Now", Right: true}, {Title: "Then", Right: true}, {Title: "Of"}},
		}
		for _, k := range e.Knobs {
			if k.NotApplicable == "" {
				table.Rows = append(table.Rows, []string{k.Layer, k.Key, k.Was, k.Value, belongs(k)})
			}
		}
		fmt.Fprintln(a.stdout)
		fmt.Fprint(a.stdout, table.Text(a.width()))
		for _, k := range e.Knobs {
			if k.NotApplicable != "" {
				a.say(fmt.Sprintf("%s %s is not applicable here: %s", k.Key, k.Value, k.NotApplicable))
			}
		}
	}
	for _, l := range p.LeftOut {
		fmt.Fprintln(a.stdout)
		a.say(fmt.Sprintf("%s is left out, not applicable here: %s", l.Environment, l.Reason))
	}
}

// belongs says whose a knob is.
func belongs(k record.Knob) string {
	if k.Host {
		return "the machine"
	}
	return "the environment"
}
