package advising

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/advice"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// mayHaveChanged weakens every comparison of two records.
const mayHaveChanged = "between records: the machine may have changed"

// together is the guide over several records.
func together(t *advice.Together) prose.Document {
	d := prose.Document{prose.Heading("Together: " + phrase.And(t.Records))}
	if len(t.Answers) == 0 {
		d.Add(prose.Paragraph("These records have no answer."))
		return d
	}
	d.Add(sharedGuide(t), prose.Paragraph("Likely: verdicts separate the environment from all others, but those between records are weaker: the machine may have changed. Not compared: the loads, the servers or the machines of the records differ, so each record has its own choice."))
	var lines, experiments prose.List
	for _, answer := range t.Answers {
		for _, c := range answer.Choices {
			lines = append(lines, experiment.TermsOf(t.Engine).Say(sharedReason(t, answer, c)))
		}
		if line := both(t, answer); line != "" {
			experiments = append(experiments, line)
		}
	}
	d.Add(prose.Heading("Why, over these records"), lines)
	if len(experiments) > 0 {
		d.Add(prose.Heading("What would compare these records"), experiments)
	}
	d.Add(prose.Heading("What weakens these answers"), prose.List(phrase.AtMost(t.Weakens)))
	return d
}

// sharedGuide is the selection guide over several records: a row a choice.
func sharedGuide(t *advice.Together) prose.Table {
	table := prose.Table{Columns: columns(t.Engine, t.Currency)}
	for _, answer := range t.Answers {
		for _, c := range answer.Choices {
			table.Rows = append(table.Rows, row(sharedTitle(answer, c), c.Label, c.Choice))
		}
	}
	return known(table)
}

func sharedTitle(answer advice.SharedAnswer, c advice.SharedChoice) string {
	return phrase.Join(", ", answer.Title, c.If, c.Workload)
}

// sharedReason says why a choice is taken: within its record and between records.
func sharedReason(t *advice.Together, answer advice.SharedAnswer, c advice.SharedChoice) string {
	text := fmt.Sprintf("%s (%s): %s, measured in %s, %s", sharedTitle(answer, c), answer.Name, based(c.Label, c.Basis), c.Record, numbers(t.Currency, t.Engine, answer.Rule, c.Choice))
	if r, found := rival(c.Choice); found {
		text += "; " + against(t.Currency, r)
	}
	for _, b := range c.Between {
		if b.Sentence != "" {
			text += fmt.Sprintf("; %s: %s (%s)", b.Label, b.Sentence, mayHaveChanged)
		}
	}
	for _, note := range c.Notes {
		text += "; " + note
	}
	if len(c.Change) > 0 {
		text += ". What would change it: " + strings.Join(c.Change, "; ")
	}
	return text
}

// both names the experiment that would compare what the records leave open: one with all of its environments.
func both(t *advice.Together, answer advice.SharedAnswer) string {
	for _, c := range answer.Choices {
		open := c.Undecided()
		if len(open) == 0 {
			continue
		}
		names, command := []string{c.Label}, "plinth advise"
		for _, b := range open {
			names = append(names, b.Label)
		}
		for _, record := range t.Records {
			command += " " + phrase.ShellWord(record)
		}
		text := fmt.Sprintf("%s: one experiment with %s, whose runs are interleaved", sharedTitle(answer, c), phrase.And(names))
		if slices.ContainsFunc(answer.Choices, func(o advice.SharedChoice) bool { return o.Basis == "imported" }) {
			return text + "; plinth cannot write it, because others measured some of them"
		}
		return text + fmt.Sprintf(" (%s --experiment %s > next.yaml)", command, answer.Name)
	}
	return ""
}

// whyTogether explains one answer over several records; nothing if there is none.
func whyTogether(t *advice.Together, name string) prose.Document {
	var d prose.Document
	for _, answer := range t.Answers {
		if answer.Name != name {
			continue
		}
		d.Add(prose.Heading("Together: "+phrase.And(t.Records)+": "+name), prose.Paragraph(answer.Question))
		for _, c := range answer.Choices {
			lines := prose.List{sharedReason(t, answer, c)}
			for _, b := range c.Between {
				line := b.Label + " of record " + b.Record + ": " + cmp.Or(string(b.Verdict.Outcome), "no verdict")
				if b.Verdict.Level > 0 {
					line += fmt.Sprintf(" (P %s)", phrase.Fine(b.Verdict.P))
				}
				lines = append(lines, line)
			}
			for _, b := range c.Apart {
				lines = append(lines, b.Label+" of record "+b.Record+" cannot be compared: "+b.Why)
			}
			for i := range lines {
				lines[i] = experiment.TermsOf(t.Engine).Say(lines[i])
			}
			d.Add(lines)
		}
	}
	return d
}
