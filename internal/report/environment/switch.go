package environment

import (
	"fmt"
	"slices"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// SwitchLines say how the machine was changed from one environment to the next, and how
// long that took; nil where it never was.
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
	return prose.List{fmt.Sprintf("the machine was tuned anew between environments %s: median %s, at most %s, of which (medians) stop %s, sync %s, tune %s, start %s, settle %s; at most %s were dirty or on their way after the sync",
		timesOver(len(switches)), phrase.Took(show.Median(took)), phrase.Took(took[len(took)-1]),
		phrase.Took(part(func(s record.Switch) float64 { return s.Stop })), phrase.Took(part(func(s record.Switch) float64 { return s.Sync })),
		phrase.Took(part(func(s record.Switch) float64 { return s.Tune })), phrase.Took(part(func(s record.Switch) float64 { return s.Start })),
		phrase.Took(part(func(s record.Switch) float64 { return s.Settle })), phrase.Bytes(dirty))}
}

// timesOver is "once", "12 times".
func timesOver(n int) string {
	if n == 1 {
		return "once"
	}
	return phrase.Count(float64(n)) + " times"
}
