// Package finding says in words what a diagnosis found, for the terminal, the reports and the page.
package finding

import (
	"fmt"
	"math"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// ranks are the names of the findings by their position.
var ranks = []string{"Primary", "Secondary", "Tertiary"}

// Rank names the position of a finding, from 0 on.
func Rank(i int) string {
	if i < len(ranks) {
		return ranks[i]
	}
	return "Also"
}

// Whole names the whole of which the shares are.
func Whole(d diagnosis.Diagnosis) string {
	if d.Division != nil && d.Division.InServer {
		return "the time in the server"
	}
	return "the response time"
}

// Sentences says what was found, what it costs, how it is known, and since when it was there.
func Sentences(f diagnosis.Finding, d diagnosis.Diagnosis, words experiment.Terms) string {
	text := fmt.Sprintf("%s. That is %s of each %s, %s of %s", f.Text, diagnosis.Duration(f.Time), words.Unit, Percent(f.Share), Whole(d))
	if f.Fall > 0 {
		text += fmt.Sprintf(", and explains %s of the fall", Percent(min(1, f.Fall)))
	}
	text += fmt.Sprintf(" (%s).", f.Basis)
	if f.From != nil && f.Seconds > 0 {
		text += fmt.Sprintf(" It was present in %s, first in second %.0f.", phrase.Plural(f.Seconds, "second"), *f.From)
	}
	if f.Most > 0 {
		text += fmt.Sprintf(" Without it, %s would be at most %s.", words.Rate, phrase.Count(f.Most))
	}
	return text
}

// Fall describes a fall of throughput; "" if there was none.
func Fall(d diagnosis.Diagnosis, words experiment.Terms) string {
	c := d.Cliff
	if c == nil {
		return ""
	}
	depth, event := Percent(1-c.After/c.Before), ""
	if c.Event != "" {
		event = fmt.Sprintf(" The experiment's event %s began then.", c.Event)
	}
	if c.Until != nil {
		return fmt.Sprintf("From second %.0f to %.0f, %s fell by %s, from %s to %s.%s", c.Second, *c.Until, words.Rate, depth, phrase.Count(c.Before), phrase.Count(c.After), event)
	}
	text := fmt.Sprintf("From second %.0f on, %s was %s lower: %s after %s.%s", c.Second, words.Rate, depth, phrase.Count(c.After), phrase.Count(c.Before), event)
	if d.From > 0 {
		text += " What follows is of the time after it."
	}
	return text
}

// Percent prints a share with its sign, in whole percent; never "-0 %".
func Percent(of float64) string {
	if math.Abs(of) < 0.005 {
		of = 0
	}
	return fmt.Sprintf("%.0f %%", 100*of)
}

// Quantity prints a value of the evidence with its unit.
func Quantity(v float64, of string) string {
	switch of {
	case "ns":
		return diagnosis.Duration(v)
	case "bytes/s":
		return diagnosis.Rate(v)
	case "1/s":
		return phrase.Count(v) + "/s"
	case "s/s":
		return fmt.Sprintf("%.2f", v)
	}
	return unit.Digits(v, 3)
}
