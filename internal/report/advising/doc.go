// Package advising reports which environment of a record to take for what.
package advising

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/advice"
	"plinth/internal/experiment"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/costs"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
	"plinth/internal/verdict"
)

// Documents returns the advice of records, one after the other.
func Documents(all []*advice.Advice) prose.Document {
	var d prose.Document
	for _, a := range all {
		d = append(d, document(a)...)
	}
	if len(all) > 1 {
		d.Add(prose.Heading("Several records"), prose.Paragraph("Each record has its own answers: numbers of two records are compared by plinth compare RECORD RECORD alone, where their loads and servers are the same."))
	}
	return d
}

func document(a *advice.Advice) prose.Document {
	d := prose.Document{prose.Heading(strings.TrimSuffix(a.Record+": "+a.Question, ": "))}
	if len(a.Answers) > 0 {
		d.Add(guide(a), prose.Paragraph("Decided: verdicts separate the environment from all others. Open: at least one other may be as good. The only one: no other meets the conditions."))
		d.Add(prose.Heading("Why, and what would change it"), prose.List(reasons(a)))
	}
	if len(a.Unanswered) > 0 {
		d.Add(prose.Heading("What this record does not answer"), prose.List(unanswered(a)))
	}
	if len(a.Mistakes) > 0 {
		d.Add(prose.Heading("Mistakes of method"), prose.List(mistakes(a)))
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

// guide is the selection guide: a row a choice.
func guide(a *advice.Advice) prose.Table {
	words := experiment.TermsOf(a.Engine)
	t := prose.Table{Columns: []prose.Column{
		{Title: "For"}, {Title: "Take"}, {Title: words.Rate, Right: true}, {Title: "p99 ms", Right: true}, {Title: a.Currency + " a month", Right: true}, {Title: "Sure"},
	}}
	workloads := several(a)
	for _, answer := range a.Answers {
		for i, c := range answer.Choices {
			p99 := phrase.None
			if c.P99.Known() {
				p99 = phrase.Fine(c.P99.Value / 1e6)
			}
			month := phrase.None
			if c.Month.Known() {
				month = phrase.Cents(float64(c.Month))
			}
			title := answer.Title
			if workloads || c.If != "" {
				title = "  " + phrase.Join(", ", c.Workload, c.If)
				if i == 0 {
					t.Rows = append(t.Rows, []string{answer.Title, "", "", "", "", ""})
				}
			}
			t.Rows = append(t.Rows, []string{title, c.Environment, phrase.Count(c.TPS.Value), p99, month, sure(c.Sure)})
		}
	}
	return t
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
			text := fmt.Sprintf("%s (%s): %s%s, %s", of(answer, c, workloads), answer.Name, c.Environment, basis(c), numbers(a, answer, c))
			if r, found := rival(c); found {
				text += "; " + against(a, r)
			}
			for _, note := range c.Notes {
				text += "; " + note
			}
			if len(c.Change) > 0 {
				text += ". What would change it: " + strings.Join(c.Change, "; ")
			}
			lines = append(lines, text)
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

func against(a *advice.Advice, r advice.Rival) string {
	text := r.Environment + ": " + r.Sentence
	if r.Month.Known() {
		text += ", " + money(a, r.Month)
	}
	return text
}

func basis(c advice.Choice) string {
	if c.Basis == "measured" {
		return ""
	}
	return " (" + c.Basis + ")"
}

func numbers(a *advice.Advice, answer advice.Answer, c advice.Choice) string {
	words := experiment.TermsOf(a.Engine)
	parts := []string{phrase.Count(c.TPS.Value) + " " + words.Rate}
	if m, err := experiment.ParseMetric(c.Metric); err == nil && m.Name != "tps" && m.Name != "p99" && !math.IsNaN(c.Value) {
		value := phrase.Quantity(c.Value, m.Unit, m.Share)
		if m.Time {
			value = phrase.Milliseconds(c.Value)
		}
		parts = append(parts, words.Say(m.Title)+" "+value)
	}
	if c.P99.Known() && (c.Metric == "p99" || slices.Contains(answer.Among, "p99")) {
		parts = append(parts, fmt.Sprintf("p99 %s (%s to %s)", phrase.Milliseconds(c.P99.Value), phrase.Milliseconds(c.P99.Low), phrase.Milliseconds(c.P99.High)))
	}
	if c.Month.Known() {
		parts = append(parts, money(a, c.Month))
	}
	if answer.Rank == "million" && c.Million.Known() {
		parts = append(parts, costs.Money(c.Million.Value, a.Currency)+" a million "+words.Units())
	}
	return strings.Join(parts, ", ")
}

func money(a *advice.Advice, month price.Amount) string {
	return costs.Money(float64(month), a.Currency) + " a month"
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
			text += ", " + costs.Money(n.Cost, a.Currency) + " by the bills"
		}
		lines = append(lines, text+fmt.Sprintf(" (plinth advise %s --experiment %s > next.yaml)", phrase.ShellWord(a.Record), n.Name))
	}
	return lines
}

// scaling says which resources have room, and what the dearer environments gained.
func scaling(a *advice.Advice) prose.Document {
	if len(a.Headroom) == 0 && len(a.Options) == 0 {
		return nil
	}
	d := prose.Document{prose.Heading("When to scale up")}
	switch full := fullResources(a); {
	case len(full) > 0:
		d.Add(full)
	case len(a.Headroom) > 0:
		d.Add(prose.Paragraph("All resources whose use is known have room."))
	}
	if len(a.Options) > 0 {
		d.Add(options(a), prose.Paragraph("Gains as measured between the environments of this record, the most for the money first; nothing is predicted."))
	}
	return d
}

// fullResources gives a line for each resource without room, with the environments where it has none.
func fullResources(a *advice.Advice) prose.List {
	var lines prose.List
	for i, h := range a.Headroom {
		first := slices.IndexFunc(a.Headroom, func(o advice.Headroom) bool { return o.Full && o.Figure == h.Figure && o.Workload == h.Workload })
		if first != i {
			continue
		}
		var uses []string
		for _, o := range a.Headroom {
			if o.Full && o.Figure == h.Figure && o.Workload == h.Workload {
				uses = append(uses, o.Environment+" "+phrase.Percent(o.Use))
			}
		}
		from := "from " + phrase.Percent(h.Limit) + " on"
		if h.Below {
			from = "below " + phrase.Percent(h.Limit)
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s. There is no room %s: %s", h.Resource, h.Workload, strings.Join(uses, ", "), from, h.Then))
	}
	return lines
}

func options(a *advice.Advice) prose.Table {
	words := experiment.TermsOf(a.Engine)
	t := prose.Table{Columns: []prose.Column{
		{Title: "Workload"}, {Title: "Instead of"}, {Title: "Take"}, {Title: "more " + words.Rate, Right: true}, {Title: "more " + a.Currency, Right: true},
		{Title: words.Rate + " a " + a.Currency, Right: true}, {Title: "Verdict"},
	}}
	for _, o := range a.Options {
		outcome := string(o.Verdict.Outcome)
		if outcome == "" {
			outcome = phrase.None
		}
		t.Rows = append(t.Rows, []string{o.Workload, o.From, o.To, phrase.Count(o.Gain), phrase.Cents(float64(o.More)), phrase.Fine(o.PerMoney), outcome})
	}
	return t
}

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
	d := prose.Document{prose.Paragraph(phrase.Capital(fmt.Sprintf("%s: take %s%s: %s (%s).", of(answer, c, true), c.Environment, basis(c), numbers(a, answer, c), sure(c.Sure))))}
	var lines prose.List
	for _, r := range c.Rivals {
		text := r.Environment
		if r.Sentence != "" {
			text = against(a, r)
		} else if r.Month.Known() {
			text += ": " + money(a, r.Month)
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
	if len(lines) > 0 {
		d.Add(lines)
	}
	return d
}
