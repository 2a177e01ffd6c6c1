package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/durability"
	"plinth/internal/report/environment"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// answer returns the first part: the answer, its certainty, and its weaknesses.
func (f *Full) answer() prose.Document {
	var d prose.Document
	f.show.AddState(&d, f.rec.Path)
	return prose.Document{f.beside(d, environment.Differs(environment.Of(f.rec, f.Environments())))}
}

// beside returns the answer below urgent remarks, with the differences below it and its
// weaknesses beside it.
func (f *Full) beside(said prose.Document, differs string) prose.Block {
	said.Add(durability.Lines(f.survivals()), answerLine{f.Answer, f.answerWords()}, prose.Paragraph(differs), prose.Paragraph(f.certainty()))
	said = append(said, f.overview()...)
	c := f.comparison
	if c == nil {
		c = compare.New(&verdict.Comparison{})
	}
	weak := c.Weaknesses(summary.Numbers(f.shows))
	if len(weak) == 0 {
		return said
	}
	return prose.Columns{said, weak}
}

// answerLine is the answer with its verdicts.
type answerLine struct {
	text  string
	words []record.Outcome
}

func (a answerLine) Text(width int) string { return prose.Paragraph(a.text).Text(width) }

// Markdown returns the answer in bold.
func (a answerLine) Markdown() string { return "**" + prose.EscapeMarkdown(a.text) + "**\n" }

func (a answerLine) HTML() string {
	var b strings.Builder
	b.WriteString(`<p class="answer">`)
	for _, word := range a.words {
		fmt.Fprintf(&b, `<span class="word word-%[1]s">%[1]s</span> `, prose.EscapeHTML(string(word)))
	}
	return b.String() + prose.EscapeHTML(a.text) + "</p>\n"
}

// answerText returns the answer, one sentence for each compared environment.
func (f *Full) answerText() string {
	if f.comparison == nil {
		return f.alone()
	}
	return cmp.Or(f.comparison.Answer(), f.unanswered("there is no block in which both environments have a valid run"))
}

// unanswered returns the reason for a missing answer, or the progress of an incomplete
// experiment.
func (f *Full) unanswered(why string) string {
	if f.rec.Summary.State == record.Complete {
		return "No answer: " + why + "."
	}
	return fmt.Sprintf("No answer yet: %d of %s.", len(f.rec.Runs), phrase.Plural(f.rec.Summary.Planned, "planned run"))
}

// answerWords returns the verdict of the answer, if all comparisons share it.
func (f *Full) answerWords() []record.Outcome {
	if f.comparison == nil {
		return nil
	}
	found := map[record.Outcome]bool{}
	for _, v := range f.comparison.Verdicts {
		if f.comparison.Decides(v.Metric) && f.comparison.Asked(v) {
			found[v.Outcome] = true
		}
	}
	if len(found) != 1 {
		return nil // with several, it would be unclear which belongs to which
	}
	return slices.DeleteFunc(slices.Clone(outcomeOrder), func(w record.Outcome) bool { return !found[w] })
}

// outcomeOrder is the order of verdicts in an answer.
var outcomeOrder = []record.Outcome{record.Better, record.Worse, record.Equivalent, record.Inconclusive, record.Unfit}

// alone returns the text for a record without a comparison.
func (f *Full) alone() string {
	var parts []string
	for _, e := range f.show.Environments {
		for _, w := range f.show.Workloads {
			if a := show.AverageOf(e.Averages, w.Name); a.Cells > 0 {
				parts = append(parts, fmt.Sprintf("%s: %s %s %s, %s", e.Name, w.Name, a.TPSText(), f.show.Words().Rate, a.LatencyText()))
			}
		}
	}
	if len(parts) == 0 {
		return f.unanswered("no run is valid")
	}
	return "Nothing is compared here. Averages over all cells: " + strings.Join(parts, "; ") + "."
}

// certainty describes the basis of the answer.
func (f *Full) certainty() string {
	c := f.comparison
	if c == nil || !c.HasRow(func(r compare.VerdictRow) bool { return c.Decides(r.Metric) && r.HasNumber() }) {
		return ""
	}
	least, most := 0, 0
	for _, v := range c.Verdicts {
		if !c.Decides(v.Metric) || !compare.HasNumber(v) {
			continue
		}
		if least == 0 || v.N < least {
			least = v.N
		}
		most = max(most, v.N)
	}
	units := phrase.Plural(most, c.Unit())
	if least < most {
		units = fmt.Sprintf("%d to %s", least, units)
	}
	text := fmt.Sprintf("Each number is the mean over %s%s. Differences within %s do not matter.", units, f.unitMeans(), compare.Percentage(c.Plan.Margin))
	if early := c.TooEarly(); len(early) > 0 {
		text += " " + phrase.Capital(early[0]) + "."
	} else if c.Look != nil && c.Next != nil {
		text += fmt.Sprintf(" This look is at %s of %d planned.", phrase.Plural(c.Look.Units, c.Unit()), c.Plan.Looks[len(c.Plan.Looks)-1].Units)
	}
	return text
}

// unitMeans describes the blocks: the number of loads, what a block is, and the length of its
// runs.
func (f *Full) unitMeans() string {
	if f.comparison.Plan.Unit == "repeat" || f.comparison.Unpaired {
		return ""
	}
	loads := 0
	for _, v := range f.comparison.Verdicts {
		loads = max(loads, v.Cells)
	}
	of := ""
	if loads > 1 {
		of = fmt.Sprintf(" of %d cells", loads)
	}
	return of + " (a block is one run of a cell in each environment, back to back, " + f.show.RunLength() + " each)"
}

// survivals returns the injected faults in all records shown.
func (f *Full) survivals() []record.Survival {
	var all []record.Survival
	for i, s := range f.shows {
		for _, one := range s.Durability {
			if f.comparison != nil {
				one.Record = f.comparison.NameOf(i)
			}
			all = append(all, one)
		}
	}
	return all
}
