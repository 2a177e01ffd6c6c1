package runpage

import (
	"fmt"
	"slices"
	"time"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// document returns the page as a document, in reading order. If every is positive, it includes
// a table in steps of that many seconds.
func (p *Page) document(every int) prose.Document {
	var d prose.Document
	d.Add(prose.Heading(p.Path), prose.Paragraph(p.what()))
	p.addState(&d)
	if p.Run.Status != record.Failed || p.Run.Result.Duration > 0 {
		d.Add(prose.Paragraph(p.sentences()))
	}
	d.Add(prose.List(phrase.AtMost(phrase.Notes("warning: ", p.Run.Warnings))))
	d.Add(p.binds...)
	p.addTimeline(&d, every)
	p.addBursts(&d)
	p.addEvents(&d)
	p.addGenerators(&d)
	p.addOwners(&d)
	p.addResources(&d)
	p.addWaits(&d)
	p.addFacts(&d)
	p.addChecklist(&d)
	p.addGaps(&d)
	p.addCost(&d)
	p.addMethod(&d)
	return d
}

// what identifies the run.
func (p *Page) what() string {
	r := p.Run
	text := fmt.Sprintf("Run %d of %s, %s: %s; %s", r.Number, p.Record, r.Status, r.Cell, r.Environment)
	if p.Server != "" {
		text += " (" + p.Server + ", " + p.env.Transport + ")"
	}
	begun := "; begun " + r.Started.UTC().Format(time.DateTime) + " UTC."
	if r.Started.IsZero() { // of an imported run
		begun = "; when it began is not known."
	}
	return text + "; repeat " + fmt.Sprint(r.Repeat) + phrase.When(r.Attempt > 1, ", attempt %d", r.Attempt) + begun
}

// addState adds what a reader must know before any number: the run's status and its reasons.
func (p *Page) addState(d *prose.Document) {
	switch p.Run.Status {
	case record.Failed:
		d.Add(prose.Paragraph("This run failed: it did not complete."))
	case record.Invalid:
		d.Add(prose.Paragraph("This run is invalid: its numbers cannot be trusted."))
	}
	d.Add(prose.List(phrase.AtMost(phrase.Notes("reason: ", p.Run.Reasons))))
	if !p.Observed && p.Missing == "" {
		why := "This run was not observed"
		if p.env.Kind == record.BasisImported {
			why = "This run was imported without readings of the machine or the server"
		} else if p.off {
			why = "The experiment has telemetry: off here, so this run was not observed"
		}
		d.Add(prose.Paragraph(why + ": only the data of the load generator is available."))
	}
}

func (p *Page) addTimeline(d *prose.Document, every int) {
	if len(p.window.seconds) == 0 || len(p.rows) == 0 {
		return
	}
	var marks []record.Mark
	if p.Run.Telemetry != nil {
		marks = p.Run.Telemetry.Marks
	}
	d.Add(prose.Heading("Second by second"), timeline{seconds: p.window.seconds, rows: p.rows, marks: marks})
	d.Add(prose.List(logLines(marks, p.window.seconds)))
	if every > 0 {
		note := stepNote(every, endOf(p.window))
		if slices.ContainsFunc(p.rows, func(s series) bool { return s.worst }) {
			note += " For p99 it is the worst second."
		}
		d.Add(p.stepTable(every), prose.Paragraph(note))
	}
	if t := p.Run.Telemetry; t != nil && t.Unmarked > 0 {
		d.Add(prose.Paragraph(fmt.Sprintf("%s not recorded.", phrase.Plural(t.Unmarked, "mark"))))
	}
}

func (p *Page) addMethod(d *prose.Document) {
	lines := prose.List{}
	if r := p.Run; r.Driver.Program != "" {
		lines = append(lines, r.Driver.Program+" "+r.Driver.Version)
	}
	switch p.Run.Result.Loop {
	case "open":
		lines = append(lines, phrase.OpenLoop(p.words))
	case "closed":
		lines = append(lines, phrase.ClosedLoop)
	}
	d.Add(prose.Heading("Method"), append(lines, "one run shows what happened, not how often it would happen; for a verdict from all runs, use plinth compare"))
}

// HTML returns the tables of one run as HTML: owners of CPU time, wait events, resources. The
// page's program draws the seconds itself.
func HTML(rec *record.Record, run *record.Run) string {
	return newPage(rec, run).document(0).HTML()
}
