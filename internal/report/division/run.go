package division

import (
	"fmt"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/diagnosis"
	"plinth/internal/diagnosis/share"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/finding"
	"plinth/internal/report/phrase"
)

// OfRun shows where the time of one run went: its bar, the causes with their evidence, and those that were
// considered or could not be examined.
func OfRun(rec *record.Record, run *record.Run) prose.Document {
	var d prose.Document
	found, err := diagnosis.OfRun(rec, run)
	switch {
	case err != nil:
		return append(d, prose.Paragraph("It is not known where the time went: "+err.Error()+"."))
	case found.Division == nil:
		return append(d, prose.Paragraph("The response time could not be divided: "+found.Undivided+"."))
	}
	o := of{rec: rec, words: experiment.TermsOf(rec.Summary.Engine)}
	d.Add(prose.Paragraph(o.summary(found)), o.runPicture(run, found), o.findings(found))
	var more prose.Document
	more.Add(partTable(*found.Division), evidence(found))
	if found.Before != nil {
		more.Add(prose.Paragraph("Before the fall of throughput:"), partTable(*found.Before))
	}
	more.Add(reasonTable("Considered: not the cause", found.Considered), reasonTable("Not examined", found.Skipped))
	d.Add(prose.Folded{Title: "Parts, evidence, and what else was considered", Body: more})
	return d
}

// summary says what was divided, and what nothing explains.
func (o of) summary(d diagnosis.Diagnosis) string {
	text := fmt.Sprintf("The mean response time of %s in %s, divided. ", phrase.Milliseconds(d.Division.Response), phrase.Plural(d.Division.Seconds, "second"))
	if fell := finding.Fall(d, o.words); fell != "" {
		text += fell + " "
	}
	if over := twice(*d.Division); over > 0 {
		text += fmt.Sprintf("The parts add up to more than that: %s count twice. ", phrase.Milliseconds(over))
	}
	return text + fmt.Sprintf("For %s of it no cause is known. A share is exact to ±%s.", percent(d.Unclaimed), points(d.Division.Error))
}

// runPicture draws the run as one bar, or as two if throughput fell.
func (o of) runPicture(run *record.Run, d diagnosis.Diagnosis) prose.Picture {
	var bars []chart.Stack
	bar := func(name string, division share.Division) {
		b := o.bar(diagnosis.Binding{Environment: run.Environment, Division: &division, TPS: division.TPS}, scaleTime)
		b.Name, b.Note = name, ""
		bars = append(bars, b)
	}
	if d.Before == nil {
		bar(run.Environment, *d.Division)
	} else {
		bar("before the fall", *d.Before)
		bar("after it", *d.Division)
	}
	s := chart.Stacks{Title: "Where the time went", XTitle: o.words.Say(scaleTitles[scaleTime]), Width: wideWidth, Panels: []chart.StackPanel{{Bars: bars}}}
	narrow := s
	narrow.Width = narrowWidth
	return prose.Picture{Name: "time", SVGs: []string{s.SVG()}, Narrow: []string{narrow.SVG()}, Whole: s.SVG}
}

// findings lists the causes, each with what to try against it.
func (o of) findings(d diagnosis.Diagnosis) prose.Block {
	if len(d.Findings) == 0 {
		return prose.Paragraph("No cause was found that explains as much as 5 % of it.")
	}
	var lines prose.List
	for i, f := range d.Findings {
		text := finding.Rank(i) + ": " + finding.Sentences(f, d, o.words)
		var tries []string
		for _, t := range f.Try {
			tries = append(tries, t.Text)
		}
		if len(tries) > 0 {
			text += " To try: " + strings.Join(tries, "; ") + "."
		}
		lines = append(lines, text)
	}
	return lines
}

func partTable(d share.Division) prose.Table {
	t := prose.Table{Title: "Parts of the response time", Columns: []prose.Column{{Title: "Part"}, {Title: "Time", Right: true}, {Title: "Share", Right: true}, {Title: "Sessions", Right: true}, {Title: "From"}}}
	for _, p := range d.Parts {
		from := phrase.SomeOf(p.Columns)
		if from == "" {
			from = phrase.None
		}
		t.Rows = append(t.Rows, []string{p.Title, milliseconds(p.Time), percent(p.Share), fmt.Sprintf("%.2f", p.Sessions), from})
	}
	t.Rows = append(t.Rows, []string{"response time", phrase.Milliseconds(d.Response), "100 %", fmt.Sprintf("%.2f", d.InFlight), phrase.None})
	return t
}

func evidence(d diagnosis.Diagnosis) prose.Block {
	t := prose.Table{Title: "Evidence", Columns: []prose.Column{{Title: "Cause"}, {Title: "Metric"}, {Title: "Value", Right: true}, {Title: "Compared with", Right: true}, {Title: "Which is"}}}
	for _, f := range d.Findings {
		for _, e := range f.Evidence {
			against, of := phrase.None, phrase.None
			if e.Of != "" {
				against, of = finding.Quantity(e.Against, e.Unit), e.Of
			}
			t.Rows = append(t.Rows, []string{f.Title, e.Metric, finding.Quantity(e.Value, e.Unit), against, of})
		}
	}
	if len(t.Rows) == 0 {
		return prose.Paragraph("")
	}
	return t
}

func reasonTable(title string, reasons []diagnosis.Reason) prose.Block {
	if len(reasons) == 0 {
		return prose.Paragraph("")
	}
	t := prose.Table{Title: title, Columns: []prose.Column{{Title: "Cause"}, {Title: "Why"}}}
	for _, r := range reasons {
		t.Rows = append(t.Rows, []string{r.Title, r.Why})
	}
	return t
}
