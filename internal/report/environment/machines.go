package environment

import (
	"maps"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Machines shows which machine each environment ran on; nil if plinth was started on the only one.
func Machines(rec *record.Record) prose.Document {
	if len(rec.Summary.Machines) == 0 {
		return nil
	}
	t := prose.Table{Columns: []prose.Column{
		{Title: "Machine"}, {Title: "Environments"}, {Title: "Kernel"}, {Title: "CPU"}, {Title: "CPUs", Right: true}, {Title: "Memory", Right: true},
	}}
	for _, at := range slices.Sorted(maps.Keys(rec.Summary.Machines)) {
		var environments []string
		for _, name := range slices.Sorted(maps.Keys(rec.Environments)) {
			if rec.Environments[name].At == at {
				environments = append(environments, name)
			}
		}
		facts := rec.Summary.Machines[at]
		t.Rows = append(t.Rows, []string{record.MachineName(at), strings.Join(environments, ", "), facts.Kernel, facts.CPUModel,
			phrase.Exact(float64(facts.CPUs)), phrase.Bytes(facts.Memory)})
	}
	return prose.Document{prose.Heading("Machines"), prose.WordTable(t),
		prose.Paragraph("plinth was started on " + record.MachineName("") + ". The load generator of an environment runs on the environment's machine.")}
}
