package environment

import (
	"maps"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Machines shows which machine each environment and load generator ran on; nil if plinth was started on the only one.
func Machines(rec *record.Record) prose.Document {
	if len(rec.Summary.Machines) == 0 {
		return nil
	}
	t := prose.Table{Columns: []prose.Column{
		{Title: "Machine"}, {Title: "With"}, {Title: "Kernel"}, {Title: "CPU"}, {Title: "CPUs", Right: true}, {Title: "Memory", Right: true},
	}}
	drivers, pods := generators(rec), false
	for _, at := range slices.Sorted(maps.Keys(rec.Summary.Machines)) {
		var environments []string
		for _, name := range slices.Sorted(maps.Keys(rec.Environments)) {
			if e := rec.Environments[name]; e.At == at {
				environments = append(environments, name)
				pods = pods || e.Kubernetes != nil
			}
		}
		if slices.Contains(drivers, at) {
			environments = append(environments, "load generator")
		}
		facts := rec.Summary.Machines[at]
		t.Rows = append(t.Rows, []string{record.MachineName(at), strings.Join(environments, ", "), facts.Kernel, facts.CPUModel,
			phrase.Exact(float64(facts.CPUs)), phrase.Bytes(facts.Memory)})
	}
	where := "The load generator of an environment runs on the environment's machine."
	switch {
	case pods:
		where = "The servers on Kubernetes are driven by pods there, and other servers from their own machines."
	case len(drivers) > 0:
		where = "Each environment is driven by all load generators, over the network."
	}
	return prose.Document{prose.Heading("Machines"), prose.WordTable(t),
		prose.Paragraph("plinth was started on " + record.MachineName("") + ". " + where)}
}

// generators returns the machines of the load generators, if they were not beside the servers.
func generators(rec *record.Record) (machines []string) {
	for i := range rec.Runs {
		for _, g := range rec.Runs[i].Generators {
			if !slices.Contains(machines, g.At) {
				machines = append(machines, g.At)
			}
		}
	}
	return machines
}
