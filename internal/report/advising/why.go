package advising

import (
	"fmt"

	"plinth/internal/advice"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// Why explains a rule or a mistake of one record.
func Why(a *advice.Advice, name string) prose.Document {
	d := prose.Document{prose.Heading(a.Record + ": " + name)}
	for _, answer := range a.Answers {
		if answer.Name == name {
			d.Add(prose.Paragraph(answer.Question))
			for _, c := range answer.Choices {
				d.Add(choice(a, answer, c)...)
			}
			d.Add(prose.Paragraph("Source of the question: " + answer.Source + "."))
		}
	}
	for _, u := range a.Unanswered {
		if u.Name == name {
			d.Add(prose.Paragraph(u.Question), prose.List{"not answered: " + u.Why}, prose.Paragraph("It needs "+u.Needs+". Source of the question: "+u.Source+"."))
		}
	}
	for _, m := range a.Mistakes {
		if m.Name == name {
			d.Add(prose.Paragraph(phrase.Capital(m.Title)+":"), prose.List(m.Evidence), prose.Paragraph("Source: "+m.Source+"."))
		}
	}
	if len(d) == 1 {
		d.Add(prose.Paragraph("This record has nothing to say about it: a flag that it needs was not given, another rule answers instead, or the mistake was not found."))
	}
	return d
}

func choice(a *advice.Advice, answer advice.Answer, c advice.Choice) prose.Document {
	d := prose.Document{prose.Paragraph(phrase.Capital(fmt.Sprintf("%s: take %s: %s (%s).", of(answer, c, true), based(c.Environment, c.Basis), numbers(a.Currency, a.Engine, answer.Rule, c), sure(c.Sure))))}
	var lines prose.List
	for _, r := range c.Rivals {
		text := r.Environment
		if r.Sentence != "" {
			text = against(a.Currency, r)
		} else if r.Month.Known() {
			text += ": " + money(a.Currency, r.Month)
		}
		lines = append(lines, text+map[string]string{advice.Unknown: " - not separated", advice.Less: "", advice.Same: ""}[r.Standing])
		if v := r.Verdict; v.Level > 0 {
			lines[len(lines)-1] += fmt.Sprintf(" (P %s, level %s %%)", phrase.Fine(v.P), verdict.Fixed(100*v.Level, 1))
		}
	}
	for _, o := range c.Out {
		lines = append(lines, o.Environment+" is left out: "+o.Why)
	}
	for _, note := range c.Notes {
		lines = append(lines, note)
	}
	for _, change := range c.Change {
		lines = append(lines, "what would change it: "+change)
	}
	for i := range lines {
		lines[i] = experiment.TermsOf(a.Engine).Say(lines[i])
	}
	if len(lines) > 0 {
		d.Add(lines)
	}
	return d
}
