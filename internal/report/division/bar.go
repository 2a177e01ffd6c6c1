package division

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/diagnosis"
	"plinth/internal/diagnosis/share"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// The scales of the bars.
const (
	scaleTime  = "time"
	scaleShare = "share"
)

var scaleTitles = map[string]string{scaleTime: "milliseconds a transaction", scaleShare: "shares of the response time"}

const (
	wideWidth   = 960
	narrowWidth = 340
)

// picture draws the cells at a load, each environment as a bar.
func (o of) picture(l load, scale, when string, shown bool) prose.Picture {
	s := chart.Stacks{Title: "Where the time goes, " + l.title, XTitle: o.words.Say(scaleTitles[scale]), Width: wideWidth}
	if scale == scaleShare {
		s.XTitle = "% of the response time"
	}
	for _, c := range l.cells {
		p := chart.StackPanel{Title: c.String()}
		for _, b := range c.Environments {
			p.Bars = append(p.Bars, o.bar(b, scale))
		}
		s.Panels = append(s.Panels, p)
	}
	narrow := s
	narrow.Width = narrowWidth
	return prose.Picture{
		Name: "time", When: when, Shown: shown, Whole: s.SVG, SVGs: []string{s.SVG()}, Narrow: []string{narrow.SVG()},
		Caption: o.caption(l),
	}
}

// caption says how exact the shares are, and what does not add up.
func (o of) caption(l load) string {
	worst, over := 0.0, false
	for _, c := range l.cells {
		for _, b := range c.Environments {
			if b.Division != nil {
				worst = max(worst, b.Division.Error)
				over = over || twice(*b.Division) > 0
			}
		}
	}
	text := fmt.Sprintf("Means over all runs that count. A share is exact to ±%s (a 95 %% interval). What is not explained is hatched.", points(worst))
	if over {
		text += " Where the parts add up to more than the response time, some time counts twice: the short lines at the edges of the bar mark the response time."
	}
	return text
}

// bar returns the bar of an environment.
func (o of) bar(b diagnosis.Binding, scale string) chart.Stack {
	e := o.rec.Environments[b.Environment]
	bar := chart.Stack{Name: b.Environment, Index: max(0, slices.Index(o.options.Environments, b.Environment)), Basis: chart.Basis(e.Basis())}
	if b.Division == nil {
		bar.Missing = "Not divided: " + b.Undivided
		return bar
	}
	d := *b.Division
	bar.Text = fmt.Sprintf("%s, %s %s", phrase.Milliseconds(d.Response), phrase.Count(b.TPS), o.words.Rate)
	bar.Note = sentence(b)
	bar.Whole = scaled(d.Response, 1, scale)
	for _, p := range d.Parts {
		part := chart.StackPart{
			Name: p.Title, Look: look(p.Name), Value: scaled(p.Time, p.Share, scale), Text: phrase.Milliseconds(p.Time),
			Tip: fmt.Sprintf("%s: %s, %s of the response time", p.Title, milliseconds(p.Time), percent(p.Share)),
		}
		if scale == scaleShare {
			part.Text = percent(p.Share)
		}
		bar.Parts = append(bar.Parts, part)
	}
	if over := twice(d); over > 0 {
		bar.Text += fmt.Sprintf("; %s count twice", phrase.Milliseconds(over))
		for i := range bar.Parts {
			bar.Parts[i].Tip += fmt.Sprintf("; all parts: %s, as some time counts twice", percent(1+over/d.Response))
		}
	}
	o.link(&bar, b)
	return bar
}

// twice returns the time of a transaction that counts twice: what the parts come to beyond the response time,
// unless that is rounding.
func twice(d share.Division) float64 {
	if rest := d.Part(share.Unexplained); rest.Share < -0.001 {
		return -rest.Time
	}
	return 0
}

// link adds a link to the run whose throughput is the median.
func (o of) link(bar *chart.Stack, b diagnosis.Binding) {
	if o.options.Links && b.Median != (record.RunID{}) {
		bar.Href = "#run=" + strings.TrimPrefix(b.Median.Path(), "runs/")
		bar.Link = fmt.Sprintf("Typical run: repeat %d, second by second", b.Median.Repeat)
	}
}

// sentence says what takes most of the time in the typical run, and how often it comes first.
func sentence(b diagnosis.Binding) string {
	if len(b.Typical) == 0 {
		return phrase.Join(" ", "No cause explains as much as 5 % of the response time.", fall(b))
	}
	f := b.Typical[0]
	return phrase.Join(" ", fmt.Sprintf("%s, %s of the response time%s: %s.", phrase.Capital(f.Title), percent(f.Share), first(b, f), f.Text), fall(b))
}

// first says in how many runs a finding comes first, and what does in most, if that is something else.
func first(b diagnosis.Binding, f diagnosis.Finding) string {
	if b.Runs < 2 || len(b.Causes) == 0 {
		return ""
	}
	times := 0
	for _, c := range b.Causes {
		if c.Cause == f.Cause {
			times = c.First
		}
	}
	text := fmt.Sprintf("first in %d of %d runs", times, b.Runs)
	if most := b.Causes[0]; most.First > times {
		text += fmt.Sprintf(", %s in %d", most.Title, most.First)
	}
	return " (" + text + ")"
}

// fall says in how many runs throughput fell.
func fall(b diagnosis.Binding) string {
	if b.Cliff == nil || b.Cliffs == 0 {
		return ""
	}
	text := fmt.Sprintf("In %d of %s throughput fell from %s to %s", b.Cliffs, phrase.Plural(b.Runs, "run"), phrase.Count(b.Cliff.Before), phrase.Count(b.Cliff.After))
	if b.Cliff.Until != nil {
		return text + fmt.Sprintf(" for a while (from second %s).", phrase.Count(b.Cliff.Second))
	}
	return text + fmt.Sprintf(" (from second %s), and the time after that is divided.", phrase.Count(b.Cliff.Second))
}

// scaled returns a part in the unit of a scale: milliseconds, or per cent.
func scaled(ns, of float64, scale string) float64 {
	if scale == scaleShare {
		return 100 * of
	}
	return ns / 1e6
}

// percent formats a share in per cent, with its sign.
func percent(of float64) string {
	switch {
	case of <= -0.01:
		return "-" + phrase.Percent(-of)
	case of < 0:
		return fmt.Sprintf("%.1f %%", 100*of)
	}
	return phrase.Percent(of)
}

// milliseconds formats nanoseconds, with their sign.
func milliseconds(ns float64) string {
	if ns < 0 {
		return "-" + phrase.Milliseconds(-ns)
	}
	return phrase.Milliseconds(ns)
}

// points formats the error of a share, in percentage points.
func points(err float64) string {
	p := 100 * err
	if p >= 10 {
		return fmt.Sprintf("%.0f percentage points", math.Ceil(p))
	}
	return fmt.Sprintf("%.1f percentage points", math.Ceil(10*p)/10)
}
