package diagnose

import (
	"fmt"
	"path/filepath"
	"strings"

	"plinth/internal/diagnosis"
	"plinth/internal/diagnosis/proof"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/finding"
	"plinth/internal/report/phrase"
)

// documentOfRun is the diagnosis of a run.
func documentOfRun(rec *record.Record, run *record.Run, d diagnosis.Diagnosis, options Options) prose.Document {
	var doc prose.Document
	doc.Add(prose.Heading("Diagnosis of " + nameOf(run)))
	doc.Add(invalid(run))
	words := experiment.TermsOf(rec.Summary.Engine)
	doc.Add(prose.Paragraph(whole(d, words)), prose.Paragraph(finding.Fall(d, words)))
	if d.Division != nil {
		doc.Add(partsOf(*d.Division, words))
		doc.Add(prose.Paragraph(fmt.Sprintf("Shares are of the response time, ±%.0f points. %s", 100*d.Division.Error, missing(d))))
	}
	doc.Add(statementsOf(run.Result)...)
	if len(d.Findings) == 0 && d.Division != nil {
		doc.Add(prose.Paragraph("Nothing that was read explains where the time goes."))
	}
	for i, f := range d.Findings {
		doc.Add(prose.Paragraph(finding.Rank(i)+": "+finding.Sentences(f, d, words)), evidence(f))
	}
	if d.Division != nil && d.Unclaimed > 0.05 && len(d.Findings) > 0 {
		doc.Add(prose.Paragraph(fmt.Sprintf("No finding explains the other %s of the response time.", finding.Percent(d.Unclaimed))))
	}
	doc.Add(prose.Paragraph(room(d)))
	addReasons(&doc, d, options)
	if command := proofOf(rec, run, d); command != "" {
		doc.Add(prose.Paragraph("An experiment to test the first finding:"), prose.Command(command))
	}
	return doc
}

// nameOf returns the path of a run as a user gives it.
func nameOf(run *record.Run) string { return strings.TrimPrefix(run.Path(), "runs/") }

// invalid says why a run is not valid.
func invalid(run *record.Run) prose.Block {
	if run.Status == record.Valid {
		return prose.Paragraph("")
	}
	lines := prose.List{}
	for _, r := range run.Reasons {
		lines = append(lines, "this run is "+string(run.Status)+": "+r.Text)
	}
	if len(lines) == 0 {
		lines = append(lines, "this run is "+string(run.Status))
	}
	return lines
}

// whole describes what is divided.
func whole(d diagnosis.Diagnosis, words experiment.Terms) string {
	if d.Division == nil {
		return "The response time cannot be divided: " + d.Undivided + "."
	}
	span := fmt.Sprintf("%d seconds", d.Division.Seconds)
	if d.From > 0 {
		span = fmt.Sprintf("the %d seconds after the fall", d.Division.Seconds)
	}
	if d.Division.InServer {
		return fmt.Sprintf("%s commits a second, and a transaction spends %s in the server: on average over %s, %.1f sessions were at work. What its client sees is not known.",
			phrase.Count(d.Division.TPS), diagnosis.Duration(d.Division.Response), span, d.Division.InFlight)
	}
	text := fmt.Sprintf("%s %s, and a %s takes %s: on average over %s, %.1f were in flight.",
		phrase.Count(d.Division.TPS), words.Rate, words.Unit, diagnosis.Duration(d.Division.Response), span, d.Division.InFlight)
	if late := d.Division.Late; late > mentioned*d.Division.Response {
		text += fmt.Sprintf(" It begins %s after it is due, which is not part of that.", diagnosis.Duration(late))
	}
	return text
}

// mentioned is the share of the response time from which a delay before it is mentioned.
const mentioned = 0.05

// missing says which parts are not known.
func missing(d diagnosis.Diagnosis) string {
	var texts []string
	for _, g := range d.Division.Missing {
		texts = append(texts, g.What+": "+g.Why)
	}
	if len(texts) == 0 {
		return ""
	}
	return "Not known: " + strings.Join(texts, "; ") + "."
}

// evidence lists what a finding follows from, and what to try.
func evidence(f diagnosis.Finding) prose.List {
	items := prose.List{}
	for _, e := range f.Evidence {
		text := e.Metric + " " + finding.Quantity(e.Value, e.Unit)
		if e.Against != 0 {
			text += " of " + finding.Quantity(e.Against, e.Unit)
		}
		if e.Of != "" {
			text += " (" + e.Of + ")"
		}
		items = append(items, text)
	}
	for _, t := range f.Try {
		items = append(items, "try: "+t.Text)
	}
	return items
}

// leastUse is the use from which a resource is mentioned.
const leastUse = 0.02

// room says how much is left of what does not bind.
func room(d diagnosis.Diagnosis) string {
	var texts []string
	for _, h := range d.Headroom {
		if h.Use < leastUse || strings.HasSuffix(h.Resource, " busy") || h.Resource == "memory" {
			continue
		}
		texts = append(texts, fmt.Sprintf("%s %s (room for %.1f times this)", h.Resource, finding.Percent(h.Use), max(1, h.Times())))
	}
	if len(texts) == 0 {
		return ""
	}
	return "Used of what has a known limit: " + strings.Join(texts, "; ") + "."
}

// addReasons adds what was examined in vain, and what could not be examined.
func addReasons(doc *prose.Document, d diagnosis.Diagnosis, options Options) {
	if !options.All {
		if n := len(d.Considered) + len(d.Skipped); n > 0 {
			doc.Add(prose.Paragraph(fmt.Sprintf("%s were ruled out, %d could not be examined; --all lists them.", phrase.Plural(len(d.Considered), "other cause"), len(d.Skipped))))
		}
		return
	}
	not, skipped := prose.List{}, prose.List{}
	for _, r := range d.Considered {
		not = append(not, r.Title+": "+r.Why)
	}
	for _, r := range d.Skipped {
		skipped = append(skipped, r.Title+": "+r.Why)
	}
	if len(not) > 0 {
		doc.Add(prose.Paragraph("Examined and ruled out:"), not)
	}
	if len(skipped) > 0 {
		doc.Add(prose.Paragraph("Could not be examined:"), skipped)
	}
}

// proofOf is the command that writes the experiment for the first finding; "" if none can prove it.
func proofOf(rec *record.Record, run *record.Run, d diagnosis.Diagnosis) string {
	if len(d.Findings) == 0 {
		return ""
	}
	if _, err := proof.File(rec, run, d.Findings[0]); err != nil {
		return ""
	}
	return fmt.Sprintf("plinth diagnose %s --run %s --experiment %s", filepath.Base(rec.Path), nameOf(run), d.Findings[0].Cause)
}
