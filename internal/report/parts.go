package report

import (
	"plinth/internal/inspect"
	"plinth/internal/prose"
	"plinth/internal/report/durability"
	"plinth/internal/report/environment"
	"plinth/internal/report/inspection"
	"plinth/internal/report/load"
)

// environments is what differs between them first, then all of it.
func (f *Full) environments(options FullOptions) prose.Document {
	described := environment.Of(f.rec, f.Environments())
	var d prose.Document
	if len(described) == 0 {
		d.Add(prose.Paragraph("Nothing is recorded of the environments: plinth went away before the first server was up."))
		return d
	}
	if len(described) > 1 {
		d.Add(prose.Heading("What differs"), environment.Differences(described))
	}
	d.Add(environment.Tuned(described)...)
	d.Add(environment.Emulated(f.rec, f.Environments())...)
	d.Add(durability.Survived(f.rec.Summary.Struck(f.rec.Summary.Baseline, f.Environments()), f.show.Numbers)...)
	d.Add(environment.Events(f.rec.Runs, f.Environments())...)
	if options.Brief {
		return d
	}
	f.show.AddDatasets(&d)
	if f.rec.Machine != nil {
		facts := inspection.MachineFacts(inspect.Inspection{Machine: f.rec.Machine.Inventory})
		d.Add(prose.Heading("The machine, as the experiment began"), prose.FactSheet(facts))
	}
	d.Add(prose.Folded{Title: "All that was read of the environments", Body: environment.All(described)})
	return d
}

// load is throughput and latency against clients.
func (f *Full) load() prose.Document {
	if len(f.show.Counted) == 0 {
		return prose.Document{prose.Paragraph(f.unanswered("there is no block in which every environment has a valid run"))}
	}
	return f.curves().Throughput()
}

func (f *Full) curves() load.Curves {
	return load.Curves{Numbers: f.show.Numbers, From: f.rec, Penalties: f.show.Penalties}
}
