package check

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// comparisons checks the metric and the comparisons to decide.
func comparisons(notes *mistake.Notes, e *experiment.Experiment) {
	if notes.Sound(&e.Metric) {
		primary(notes, e)
	}
	columns(notes, e)
	if !notes.Sound(&e.Compare, &e.Workloads, &e.Environments, &e.Baseline) {
		return
	}
	if e.Stop == "decided" && len(e.Environments) < 2 {
		notes.Add(notes.Places[&e.Stop], "", "stop: decided needs two environments to compare, and there is only one")
	}
	if e.Stop == "decided" && len(e.Screened()) > 0 {
		notes.Add(notes.Places[&e.Stop], "leave it out", "stop: decided would end a screening design before the effects of its groups are decided")
	}
	if len(e.Screened()) > 0 && e.Baseline != experiment.AblationAll {
		notes.Add(notes.Places[&e.Baseline], "leave it out", "the baseline of ablate: screen is %s", experiment.AblationAll)
	}
	if slices.Contains(e.Compare, experiment.CompareAll) {
		everyPair(notes, e)
		return
	}
	seen := map[string]bool{}
	for i := range e.Compare {
		if name := e.Compare[i]; seen[name] {
			notes.Add(notes.Places[&e.Compare[i]], "", "compare: %s is in the list twice", strictyaml.Quote(name))
		}
		seen[e.Compare[i]] = true
		comparison(notes, e, &e.Compare[i])
	}
}

// everyPair checks compare: all. It must be the only entry, and must not be the name of a workload, too.
func everyPair(notes *mistake.Notes, e *experiment.Experiment) {
	for i := range e.Compare {
		if len(e.Compare) > 1 && e.Compare[i] == experiment.CompareAll {
			notes.Add(notes.Places[&e.Compare[i]], "write compare: all, or list only comparisons with the baseline",
				"compare: all stands for every pair of environments, for every workload, and allows no other entry")
			return
		}
	}
	if slices.ContainsFunc(e.Workloads, func(w experiment.Workload) bool { return w.Name == experiment.CompareAll }) {
		notes.Add(notes.Places[&e.Compare[0]], "rename the workload", "compare: all stands for every pair of environments, but a workload has this name")
	}
}

// primary checks the primary metric. Figures of the machine and the server need telemetry; those of
// TPS do not.
func primary(notes *mistake.Notes, e *experiment.Experiment) {
	e.Metric = experiment.PlainName(e.Metric)
	m, err := experiment.ParseMetric(e.Metric)
	switch {
	case err != nil:
		notes.Add(notes.Places[&e.Metric], hint.Of(err), "metric: %v", err)
		return
	case m.Plain:
		notes.Add(notes.Places[&e.Metric], "use plinth compare RECORD --metric "+e.Metric+" to see the difference",
			"metric: a higher %s is neither better nor worse, so it cannot decide a comparison", e.Metric)
		return
	case !m.Figure || strings.HasPrefix(m.Name, "tps-") || !notes.Sound(&e.Environments, &e.Telemetry):
		return
	}
	for _, environment := range e.Environments {
		if e.TelemetryOf(environment) == "off" {
			notes.Add(notes.Places[&e.Metric], "leave telemetry on", "metric: %s needs telemetry, which is off in %s", e.Metric, environment.Name)
			return
		}
	}
}

// columns checks the metrics that tables show.
func columns(notes *mistake.Notes, e *experiment.Experiment) {
	if len(e.Columns) > experiment.MostColumns {
		notes.Add(notes.Places[&e.Columns], "", "columns: %d metrics, more than the maximum of %d", len(e.Columns), experiment.MostColumns)
		return
	}
	for i := range e.Columns {
		at := &e.Columns[i]
		if !notes.Sound(at) {
			continue
		}
		*at = experiment.PlainName(*at)
		if _, err := experiment.ParseColumn(*at); err != nil {
			notes.Add(notes.Places[at], hint.Of(err), "columns: %v", err)
		} else if slices.Contains(e.Columns[:i], *at) {
			notes.Add(notes.Places[at], "", "columns: %s is in the list twice", strictyaml.Quote(*at))
		}
	}
}

// comparison checks one entry: WORKLOAD or WORKLOAD/ENVIRONMENT.
func comparison(notes *mistake.Notes, e *experiment.Experiment, entry *string) {
	workload, environment, both := strings.Cut(*entry, "/")
	var workloads, others []string
	for _, w := range e.Workloads {
		workloads = append(workloads, w.Name)
	}
	for _, env := range e.Environments {
		if env.Name != e.Baseline {
			others = append(others, env.Name)
		}
	}
	switch {
	case !slices.Contains(workloads, workload):
		if !both {
			workloads = append(workloads, experiment.CompareAll)
		}
		notes.Add(notes.Places[entry], hint.DidYouMean(workload, workloads, "it can be "+hint.Choice(workloads)),
			"compare: there is no workload %s", strictyaml.Quote(workload))
	case both && !slices.Contains(others, environment):
		notes.Add(notes.Places[entry], hint.DidYouMean(environment, others, "it can be "+hint.Choice(others)),
			"compare: %s is not an environment that is compared with the baseline", strictyaml.Quote(environment))
	}
}
