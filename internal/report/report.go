package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"plinth/internal/inspect"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/durability"
	"plinth/internal/report/environment"
	"plinth/internal/report/inspection"
	"plinth/internal/report/load"
	"plinth/internal/report/show"
	"plinth/internal/report/summary"
)

// Full is the whole report of a record, in the order in which people read it: what
// the page shows, and what a pull request does.
type Full struct {
	Record   string // the name of its directory
	Question string
	Answer   string // in one sentence, with intervals; what there is instead, where there is none
	Parts    []Part

	rec        *record.Record
	show       *summary.Summary
	shows      []*summary.Summary // all that are compared: one, or two records
	comparison *compare.Report    // nil where nothing is compared
}

// Part is one part of the report.
type Part struct {
	ID    string // "verdicts"
	Title string
	Body  prose.Document
}

// FullOptions is what of a report is wanted.
type FullOptions struct {
	// Brief leaves out what a pull request has no room for: each run, all settings.
	Brief bool
	// Links says that what is said of a run can link to it: "#run=...".
	Links bool
}

// NewFull makes the report of a record. A record that can be opened has one,
// whatever is missing in it.
func NewFull(rec *record.Record, options FullOptions) (*Full, error) {
	s, err := gathered(rec)
	if err != nil {
		return nil, err
	}
	if s.Unread {
		s.Comparison = show.Stored(rec)
	} else {
		s.Compare(rec)
	}
	s.TakeApart(rec)
	f := &Full{Record: filepath.Base(rec.Path), Question: prose.Clean(rec.Summary.Question), rec: rec, show: s, shows: []*summary.Summary{s}}
	if s.Comparison != nil {
		f.comparison = compare.New(s.Comparison, rec)
	}
	f.Answer = f.answerText()
	for _, part := range []Part{
		{"answer", "Answer", f.answer()},
		{"steps", "Steps", f.show.Steps.Document(f.show.Numbers)},
		{"ablation", "Ablation: which of these did it", f.show.Ablation.Document(f.show.Numbers)},
		{"verdicts", "Verdicts", f.verdicts()},
		{"throughput", "Throughput and latency", f.load()},
		{"latency", "Latency percentiles", f.curves().Latency()},
		{"runs", "Runs", f.runs(options)},
		{"environments", "Environments", f.environments(options)},
		{"method", "Method", f.method(options)},
	} {
		if len(part.Body) > 0 {
			f.Parts = append(f.Parts, part)
		}
	}
	return f, nil
}

// gathered is the numbers of rec. Where a histogram is damaged they are there
// without percentiles, and a warning says so.
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

// Markdown is the report for a pull request.
func (f *Full) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", prose.EscapeMarkdown(f.title()))
	for _, part := range f.Parts {
		body := part.Body.Markdown()
		if strings.TrimSpace(body) == "" {
			continue // all of it is pictures
		}
		body = strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n## ", "\n### "), "\n")
		if part.ID != "answer" {
			b.WriteString("\n## " + part.Title + "\n")
		}
		b.WriteString("\n" + body)
	}
	return b.String()
}

// title is the question, or where none was asked the name of the experiment; of two
// records, that they are compared.
func (f *Full) title() string {
	if len(f.shows) > 1 {
		return f.comparison.Records[1] + " against " + f.comparison.Records[0]
	}
	if f.Question != "" {
		return f.Question
	}
	return f.rec.Summary.Name
}

// Title is what the report is called.
func (f *Full) Title() string { return f.title() }

// Counted are the runs that the numbers are made of.
func (f *Full) Counted() []record.Run { return f.show.Counted }

// Environments are the names of the environments, in the order of the experiment.
func (f *Full) Environments() []string { return f.show.Names() }

// About says what kind of record this is: the experiment, the engine, where it stands.
func (f *Full) About() string {
	s := f.rec.Summary
	if len(f.shows) > 1 {
		return prose.Clean("two records compared · " + s.Engine + " · " + f.Question)
	}
	return prose.Clean(strings.Join([]string{s.Name, s.Engine, string(s.State)}, " · "))
}

// Begun is when the experiment began; zero of two records.
func (f *Full) Begun() time.Time {
	if len(f.shows) > 1 {
		return time.Time{}
	}
	return f.rec.Summary.Created
}

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
