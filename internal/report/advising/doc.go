// Package advising reports which environment of a record, or of several, to take for what.
package advising

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/advice"
	"plinth/internal/experiment"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// Documents returns the advice of records: the guides over several of them, then each record's own.
func Documents(all *advice.All) prose.Document {
	var d prose.Document
	for _, t := range all.Together {
		d = append(d, together(t)...)
	}
	for _, a := range all.Records {
		d = append(d, document(a)...)
	}
	return d
}

func document(a *advice.Advice) prose.Document {
	d := prose.Document{prose.Heading(strings.TrimSuffix(a.Record+": "+a.Question, ": "))}
	if len(a.Answers) > 0 || len(unmet(a)) > 0 {
		d.Add(guide(a), prose.Paragraph("Decided: verdicts separate the environment from all others. Alike: others are as good within the margin. Open: at least one other may be as good. The only one: no other meets the conditions."))
		d.Add(prose.Heading("Why, and what would change it"), prose.List(reasons(a)))
	}
	if len(a.Unanswered) > 0 {
		d.Add(prose.Heading("What this record does not answer"), prose.List(unanswered(a)))
	}
	d.Add(predicted(a)...)
	if len(a.Mistakes) > 0 {
		d.Add(prose.Heading("Methodological mistakes"), prose.List(mistakes(a)))
	}
	d.Add(scaling(a)...)
	if len(a.Next) > 0 {
		d.Add(prose.Heading("What to try next"), prose.List(next(a)))
	}
	if len(a.Weakens) > 0 {
		d.Add(prose.Heading("What weakens these answers"), prose.List(phrase.AtMost(a.Weakens)))
	}
	return d
}

// guide is the selection guide: a row a choice, below their title if there are several.
func guide(a *advice.Advice) prose.Table {
	t := prose.Table{Columns: columns(a.Engine, a.Currency)}
	for _, title := range unmet(a) {
		t.Rows = append(t.Rows, []string{title, "none", phrase.None, phrase.None, phrase.None, phrase.None})
	}
	workloads := several(a)
	for _, answer := range a.Answers {
		grouped := workloads || answer.Choices[0].If != ""
		if grouped {
			t.Rows = append(t.Rows, []string{answer.Title, "", "", "", "", ""})
		}
		for _, c := range answer.Choices {
			title := answer.Title
			if grouped {
				title = "- " + phrase.Join(", ", c.Workload, c.If)
			}
			t.Rows = append(t.Rows, row(title, c.Environment, c))
		}
	}
	return known(t)
}

// columns returns those of a guide; row has their cells.
func columns(engine, currency string) []prose.Column {
	return []prose.Column{
		{Title: "For"}, {Title: "Take"}, {Title: experiment.TermsOf(engine).Rate, Right: true}, {Title: "p99 ms", Right: true}, {Title: currency + " a month", Right: true}, {Title: "Sure"},
	}
}

func row(title, environment string, c advice.Choice) []string {
	cells := []string{
		title, based(environment, c.Basis), phrase.Count(c.TPS.Value), phrase.When(c.P99.Known(), "%s", phrase.Fine(c.P99.Value/1e6)),
		phrase.When(c.Month.Known(), "%s", unit.Grouped(float64(c.Month), 2)), sure(c.Sure),
	}
	for i, cell := range cells {
		cells[i] = cmp.Or(cell, phrase.None)
	}
	return cells
}

// known returns a table without the columns of what is never known.
func known(t prose.Table) prose.Table {
	for at := len(t.Columns) - 1; at >= 0; at-- {
		if slices.ContainsFunc(t.Rows, func(cells []string) bool { return cells[at] != "" && cells[at] != phrase.None }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, at, at+1)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], at, at+1)
		}
	}
	return t
}

// based returns an environment with its basis, unless it was measured.
func based(environment, basis string) string {
	if basis == "" || basis == "measured" {
		return environment
	}
	return environment + " (" + basis + ")"
}

// unmet returns the titles of the limits that no environment meets under any workload.
func unmet(a *advice.Advice) []string {
	var all []string
	for _, u := range a.Unanswered {
		if slices.ContainsFunc(a.Answers, func(o advice.Answer) bool { return o.Name == u.Name }) {
			continue
		}
		if slices.Contains(u.Among, "budget") || slices.Contains(u.Among, "p99") {
			all = append(all, u.Title)
		}
	}
	return all
}

// several reports whether answers have to name the workload.
func several(a *advice.Advice) bool {
	name := ""
	for _, answer := range a.Answers {
		for _, c := range answer.Choices {
			if name != "" && c.Workload != name {
				return true
			}
			name = c.Workload
		}
	}
	return false
}

func of(answer advice.Answer, c advice.Choice, workloads bool) string {
	text := phrase.Join(", ", answer.Title, c.If)
	if workloads {
		text += ", " + c.Workload
	}
	return text
}

func sure(c advice.Certainty) string {
	if c == advice.Alone {
		return "the only one"
	}
	return string(c)
}

// reasons gives a line for each choice, and lines for what would change it.
func reasons(a *advice.Advice) []string {
	var lines []string
	workloads := several(a)
	for _, answer := range a.Answers {
		for _, c := range answer.Choices {
			text := fmt.Sprintf("%s (%s): %s, %s", of(answer, c, workloads), answer.Name, based(c.Environment, c.Basis), numbers(a.Currency, a.Engine, answer.Rule, c))
			if r, found := rival(c); found {
				text += "; " + against(a.Currency, r)
			}
			for _, note := range c.Notes {
				text += "; " + note
			}
			if len(c.Change) > 0 {
				text += ". What would change it: " + strings.Join(c.Change, "; ")
			}
			lines = append(lines, experiment.TermsOf(a.Engine).Say(text))
		}
	}
	return lines
}

// rival returns the rival that a choice has to be separated from first: the best one.
func rival(c advice.Choice) (advice.Rival, bool) {
	for _, r := range c.Rivals {
		if r.Sentence != "" {
			return r, true
		}
	}
	return advice.Rival{}, false
}

func against(currency string, r advice.Rival) string {
	text := r.Environment + ": " + r.Sentence
	if r.Month.Known() {
		text += ", " + money(currency, r.Month)
	}
	return text
}

func numbers(currency, engine string, rule advice.Rule, c advice.Choice) string {
	words := experiment.TermsOf(engine)
	parts := []string{phrase.Count(c.TPS.Value) + " " + words.Rate}
	if m, err := experiment.ParseMetric(c.Metric); err == nil && m.Name != "tps" && m.Name != "p99" && !math.IsNaN(c.Value) {
		value := phrase.Quantity(c.Value, m.Unit, m.Share)
		if m.Time {
			value = phrase.Milliseconds(c.Value)
		}
		parts = append(parts, words.Say(m.Title)+" "+value)
	}
	if c.P99.Known() && (c.Metric == "p99" || slices.Contains(rule.Among, "p99")) {
		parts = append(parts, fmt.Sprintf("p99 %s (%s to %s)", phrase.Milliseconds(c.P99.Value), phrase.Milliseconds(c.P99.Low), phrase.Milliseconds(c.P99.High)))
	}
	if c.Month.Known() {
		parts = append(parts, money(currency, c.Month))
	}
	if rule.Rank == "million" && c.Million.Known() {
		parts = append(parts, price.Amount(c.Million.Value).In(currency)+" a million "+words.Units())
	}
	return strings.Join(parts, ", ")
}

func money(currency string, month price.Amount) string {
	return month.In(currency) + " a month"
}

func unanswered(a *advice.Advice) []string {
	var lines []string
	for _, u := range a.Unanswered {
		lines = append(lines, fmt.Sprintf("%s (%s): %s", u.Title, u.Name, u.Why))
	}
	return lines
}

func mistakes(a *advice.Advice) []string {
	var lines []string
	for _, m := range a.Mistakes {
		text := fmt.Sprintf("%s (%s): %s", m.Title, m.Name, m.Evidence[0])
		if more := len(m.Evidence) - 1; more > 0 {
			text += fmt.Sprintf("; and %d more (--why %s)", more, m.Name)
		}
		lines = append(lines, text)
	}
	return lines
}

func next(a *advice.Advice) []string {
	var lines []string
	for _, n := range a.Next {
		text := fmt.Sprintf("%s, %s: %s", n.Name, n.Workload, strings.Join(n.Environments, " or "))
		if n.Why != "" {
			lines = append(lines, text+": no experiment: "+n.Why)
			continue
		}
		text += fmt.Sprintf(": %s in %s", unit.Count(n.Repeats, "repeat"), phrase.Duration(n.Time.Seconds()))
		if n.Cost > 0 {
			text += ", " + price.Amount(n.Cost).In(a.Currency) + " by the bills"
		}
		lines = append(lines, text+fmt.Sprintf(" (plinth advise %s --experiment %s > next.yaml)", phrase.ShellWord(a.Record), n.Name))
	}
	return lines
}
