package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"plinth/internal/inspect"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/breakdown"
	"plinth/internal/report/compare"
	"plinth/internal/report/costs"
	"plinth/internal/report/division"
	"plinth/internal/report/durability"
	"plinth/internal/report/environment"
	"plinth/internal/report/imports"
	"plinth/internal/report/inspection"
	"plinth/internal/report/load"
	"plinth/internal/report/summary"
)

// Full is the whole report of a record, in reading order, for the page and for a pull request.
type Full struct {
	Record   string // the name of its directory
	Question string
	Answer   string // one sentence per environment, with intervals, or the reason for a missing answer
	Parts    []Part

	rec        *record.Record
	show       *summary.Summary
	shows      []*summary.Summary // one record, or the two that are compared
	comparison *compare.Report    // nil without a comparison
}

// Part is one part of the report.
type Part struct {
	ID    string // "verdicts"
	Title string
	Body  prose.Document
}

// FullOptions selects the contents of a report.
type FullOptions struct {
	// Brief leaves out what is too long for a pull request: each run, all settings.
	Brief bool
	// Links allows links to runs: "#run=...".
	Links bool
}

// NewFull returns the report of a record. Every record that can be opened has one, even if
// parts of the record are missing.
func NewFull(rec *record.Record, options FullOptions) (*Full, error) {
	s, err := gathered(rec)
	if err != nil {
		return nil, err
	}
	s.Compare(rec)
	s.TakeApart(rec)
	f := &Full{Record: filepath.Base(rec.Path), Question: prose.Clean(rec.Summary.Question), rec: rec, show: s, shows: []*summary.Summary{s}}
	if s.Comparison != nil {
		f.comparison = compare.New(s.Comparison, rec)
	}
	f.Answer = f.answerText()
	for _, part := range []Part{
		{"answer", "Answer", f.answer()},
		{"steps", "Steps", f.show.Steps.Document(f.show.Numbers)},
		{"ablation", "Ablation: the effect of each part", f.show.Ablation.Document(f.show.Numbers)},
		{"verdicts", "Verdicts", f.verdicts()},
		{"time", f.show.Words().Say("Time of a transaction"), division.Part(rec, division.Options{Environments: f.Environments(), Brief: options.Brief, Links: options.Links})},
		{"throughput", "Throughput and latency", f.load()},
		{"latency", "Latency percentiles", f.curves().Latency()},
		{"cost", "Cost", costs.Part(rec, f.Environments(), time.Now())},
		{"breakdown", "Environments side by side", f.breakdown(options)},
		{"runs", "Runs", f.runs(options)},
		{"environments", "Environments", f.environments(options)},
		{"imported", "Imported files", f.imported()},
		{"method", "Method", f.method(options)},
	} {
		if len(part.Body) > 0 {
			f.Parts = append(f.Parts, part)
		}
	}
	return f, nil
}

// gathered returns the numbers of rec. If a histogram is damaged, they have a warning and no
// percentiles.
func gathered(rec *record.Record) (*summary.Summary, error) {
	s, err := summary.Of(rec, summary.Options{}, true)
	if err == nil {
		return s, nil
	}
	damage := err
	if s, err = summary.Of(rec, summary.Options{}, false); err != nil {
		return nil, err
	}
	s.Warnings = append(s.Warnings, record.Note{Rule: "no-percentiles", Text: "there are no percentiles: " + damage.Error()})
	return s, nil
}

// Markdown returns the report for a pull request.
func (f *Full) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", prose.EscapeMarkdown(f.title()))
	for _, part := range f.Parts {
		body := part.Body.Markdown()
		if strings.TrimSpace(body) == "" {
			continue // it consists of charts only
		}
		body = strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n## ", "\n### "), "\n")
		if part.ID != "answer" {
			b.WriteString("\n## " + part.Title + "\n")
		}
		b.WriteString("\n" + body)
	}
	return b.String()
}

// title returns the question, or the name of the experiment without one; for two records, their
// names.
func (f *Full) title() string {
	if len(f.shows) > 1 {
		return f.comparison.Records[1] + " against " + f.comparison.Records[0]
	}
	if f.Question != "" {
		return f.Question
	}
	return f.rec.Summary.Name
}

// Title returns the title of the report.
func (f *Full) Title() string { return f.title() }

// Counted returns the runs behind the numbers.
func (f *Full) Counted() []record.Run { return f.show.Counted }

// Environments returns the names of the environments, in the order of the experiment.
func (f *Full) Environments() []string { return f.show.Names() }

// About describes the record: experiment, engine, state.
func (f *Full) About() string {
	s := f.rec.Summary
	if len(f.shows) > 1 {
		return prose.Clean("two records compared · " + s.Engine + " · " + f.Question)
	}
	about := []string{s.Name, s.Engine, string(s.State)}
	if f.rec.Import != nil {
		about[2] = record.BasisImported
	}
	return prose.Clean(strings.Join(about, " · "))
}

// Begun returns the start of the experiment; the zero time for two records.
func (f *Full) Begun() time.Time {
	if len(f.shows) > 1 {
		return time.Time{}
	}
	return f.rec.Summary.Created
}

// imported lists the files of an imported record.
func (f *Full) imported() prose.Document {
	if f.rec.Import == nil {
		return nil
	}
	d := imports.Files(f.rec.Import)
	const few = 12
	if n := len(f.rec.Import.Files); n > few {
		d = prose.Document{prose.Folded{Title: fmt.Sprintf("All %d files", n), Body: d}}
	}
	if facts := imports.Facts(f.rec.Import, 0); len(facts) > 0 {
		d.Add(prose.Folded{Title: "Statements that cannot be assigned to a second of a run", Body: facts})
	}
	d.Add(imports.Notes(f.rec.Import, nil)...)
	return d
}

// environments describes the environments, their differences first.
func (f *Full) environments(options FullOptions) prose.Document {
	described := environment.Of(f.rec, f.Environments())
	var d prose.Document
	if len(described) == 0 {
		d.Add(prose.Paragraph("The record does not describe the environments: plinth ended before the first server started."))
		return d
	}
	if len(described) > 1 {
		d.Add(prose.Heading("What differs"), environment.Differences(described))
	}
	d.Add(environment.LeftOut(f.rec))
	d.Add(environment.Tuned(described)...)
	d.Add(environment.Machines(f.rec)...)
	d.Add(environment.Emulated(f.rec, f.Environments())...)
	d.Add(durability.Survived(f.rec.Summary.Survivals(f.rec.Summary.Baseline, f.Environments()), f.show.Numbers)...)
	d.Add(environment.Bursts(f.rec.Runs, f.Environments())...)
	d.Add(environment.Events(f.rec.Runs, f.Environments())...)
	if options.Brief {
		return d
	}
	f.show.AddDatasets(&d)
	if f.rec.Machine != nil {
		facts := inspection.MachineFacts(inspect.Inspection{Machine: f.rec.Machine.Inventory})
		d.Add(prose.Heading("The machine at the start of the experiment"), prose.FactSheet(facts))
	}
	d.Add(prose.Folded{Title: "All properties of the environments", Body: environment.All(described)})
	return d
}

// breakdown lays the environments side by side. A pull request has the verdicts instead.
func (f *Full) breakdown(options FullOptions) prose.Document {
	if options.Brief || f.show.Unread {
		return nil
	}
	return breakdown.Part(f.show.Numbers, f.rec)
}

// load shows throughput and latency against clients.
func (f *Full) load() prose.Document {
	if len(f.show.Counted) == 0 {
		return prose.Document{prose.Paragraph(f.unanswered("there is no block in which every environment has a valid run"))}
	}
	return f.curves().Throughput()
}

func (f *Full) curves() load.Curves {
	return load.Curves{Numbers: f.show.Numbers, From: f.rec, Penalties: f.show.Penalties}
}
