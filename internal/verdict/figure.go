package verdict

import (
	"maps"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/metric"
	"plinth/internal/record"
)

// ofFigure returns the reading of a figure of a run. Shares may exceed 1, and are still
// compared by difference.
func ofFigure(run *record.Run, m experiment.Metric) reading {
	value, known := run.Figures[m.Name]
	switch {
	case !known && isWait(m.Name) && sampled(run):
		return reading{ok: true} // below the smallest wait that is recorded
	case !known:
		return reading{why: gapOf(run, m.Name)}
	case m.Share:
		return reading{value: value, ok: value >= -most && value <= most}
	case value == 0:
		return reading{zero: true, why: "it is 0, and a ratio with 0 is undefined"}
	}
	return reading{value: value, ok: value >= least && value <= most}
}

// gapOf returns the reason why a run lacks a figure.
func gapOf(run *record.Run, name string) string {
	if isWait(name) {
		name = metric.Wait
	}
	for _, gap := range run.FigureGaps {
		if gap.What == name {
			return gap.Why
		}
	}
	return "its record does not have this figure"
}

func isWait(name string) bool { return strings.HasPrefix(name, "wait.") && name != "wait.CPU" }

// sampled reports whether the wait events of a run were sampled: its figures then hold
// every event that was frequent enough to be recorded.
func sampled(run *record.Run) bool {
	_, known := run.Figures["active-sessions"]
	return known && !slices.ContainsFunc(run.FigureGaps, func(g record.Gap) bool { return g.What == metric.Wait })
}

// seen refuses a wait event that was sampled but occurs in no run: its name is misspelt,
// or there is nothing to compare.
func seen(metrics []experiment.Metric, records ...*record.Record) error {
	for _, m := range metrics {
		if !m.Figure || !isWait(m.Name) {
			continue
		}
		events, known := eventsOf(records)
		if known && !slices.Contains(events, m.Name) {
			return hint.Errorf(hint.DidYouMean(m.Name, events, "plinth show RECORD --run RUN lists the wait events of a run"),
				"cannot compare: no run has %s", m.Name)
		}
	}
	return nil
}

// eventsOf returns the wait events of all runs, and whether any run was sampled.
func eventsOf(records []*record.Record) (events []string, known bool) {
	found := map[string]bool{}
	for _, rec := range records {
		for i := range rec.Runs {
			known = known || sampled(&rec.Runs[i])
			for name := range rec.Runs[i].Figures {
				if isWait(name) {
					found[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), known
}
