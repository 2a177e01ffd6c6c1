package advising

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/advice"
	"plinth/internal/experiment"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// predicted lists disks that were not measured: what they might change, and how to measure them.
func predicted(a *advice.Advice) prose.Document {
	var disks []string
	of := map[string][]advice.Predicted{}
	for _, p := range a.Predicted {
		if of[p.Disk] == nil {
			disks = append(disks, p.Disk)
		}
		of[p.Disk] = append(of[p.Disk], p)
	}
	var lines prose.List
	for _, disk := range disks {
		lines = append(lines, experiment.TermsOf(a.Engine).Say(candidate(a, of[disk])))
	}
	for _, text := range a.Refused {
		lines = append(lines, "not predicted: "+text)
	}
	if len(lines) == 0 {
		return nil
	}
	d := prose.Document{prose.Heading("Predicted, not measured"), lines}
	if len(a.Assumed) > 0 {
		d.Add(prose.Paragraph("Assumed, because others measured the reference:"), prose.List(a.Assumed))
	}
	d.Add(prose.Paragraph("Numbers with ~ are predicted (plinth predict), with 90 % intervals. They have no verdict, and no answer rests on them."))
	return d
}

// candidate says what one disk might change, and names the answers that it would not.
func candidate(a *advice.Advice, all []advice.Predicted) string {
	first := all[0]
	var changes, not []string
	for _, p := range all {
		title := p.Title
		if several(a) {
			title += ", " + p.Workload
		}
		if p.Standing == advice.NotBetter {
			not = append(not, title+phrase.When(p.Why != "", " (%s)", p.Why))
			continue
		}
		verb := map[string]string{advice.Better: "would", advice.Perhaps: "may"}[p.Standing]
		changes = append(changes, fmt.Sprintf("%s, it %s be the better choice: %s", title, verb, strings.Join(slices.DeleteFunc([]string{number(a, p), beside(a, p), p.Why}, func(s string) bool { return s == "" }), ", ")))
	}
	text := fmt.Sprintf("%s (predicted from %s), %s: ", first.Disk, first.From, money(a.Currency, first.Row.Month))
	if len(changes) == 0 {
		return text + "it would change no answer: " + strings.Join(not, "; ")
	}
	text += strings.Join(changes, "; ")
	if len(not) > 0 {
		text += "; it would not change: " + strings.Join(not, "; ")
	}
	return text + fmt.Sprintf(". Measure it first: add an environment like %s with storage: {data: %s}", first.From, first.Declaration)
}

// number is the predicted quantity of a rule with its interval.
func number(a *advice.Advice, p advice.Predicted) string {
	e, format := p.Row.TPS, phrase.Count
	switch p.Quantity {
	case "p99":
		e, format = p.Row.P99, milliseconds
	case "million":
		e, format = p.Row.Million, func(f float64) string { return price.Amount(f).In(a.Currency) }
	}
	text := fmt.Sprintf("~%s (%s to %s)", format(e.Value), format(e.Low), format(e.High))
	if e.Value == 0 {
		return "a quantity that is not predicted"
	}
	return text + map[string]string{"tps": " TPS", "month": " TPS", "p99": " p99", "million": " a million transactions"}[p.Quantity]
}

// beside is the measured quantity of the choice in whose place it would be; "" if there is none.
func beside(a *advice.Advice, p advice.Predicted) string {
	if p.Instead == "" {
		return "where no measured environment is known to meet the limits"
	}
	if p.Measured == 0 {
		return "in place of " + p.Instead
	}
	text := map[string]func(float64) string{
		"tps": phrase.Count, "p99": milliseconds,
		"million": func(f float64) string { return price.Amount(f).In(a.Currency) },
		"month":   func(f float64) string { return money(a.Currency, price.Amount(f)) },
	}[p.Quantity](p.Measured)
	return "in place of " + p.Instead + " with " + text
}

func milliseconds(seconds float64) string { return phrase.Milliseconds(1e9 * seconds) }
