package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// AddDecided adds how the verdicts were reached.
func (c *Report) AddDecided(d *prose.Document) {
	if !c.HasRow(VerdictRow.says) {
		return
	}
	lines := c.look()
	if !c.Open() { // no test is made
		lines = append(lines, "margin "+Percentage(c.Plan.Margin)+": differences within it do not matter", c.test())
		lines = append(lines, phrase.Notes("", c.assumed)...)
		lines = append(lines, c.family()...)
	}
	lines = append(lines, "values are geometric means over "+c.Unit()+"s, and an effect is their ratio")
	if c.HasRow(func(r VerdictRow) bool { return r.Difference }) {
		lines[len(lines)-1] += "; for shares, arithmetic means and their difference in percentage points (pp)"
	}
	d.Add(prose.Heading("How it was decided"), prose.List(lines))
}

// remarks explains missing verdicts, rows that can only be inconclusive, and how to read the
// table.
func (c *Report) remarks() []string {
	lines := c.TooEarly()
	if c.Look != nil {
		lines = append(lines, c.tooFew("workload", false, c.Fewest.Workload)...)
		lines = append(lines, c.tooFew(c.part(), true, c.Fewest.Cell)...)
	}
	if plain := c.plain(); plain != nil {
		lines = append(lines, "there is no verdict by "+strings.Join(plain, ", ")+": a higher value is neither better nor worse")
	}
	if c.hasUndeclared() {
		lines = append(lines, "only "+MetricTitle(c.Words, c.Plan.Metric)+" has verdicts: it was declared beforehand; the other rows show only the effect")
	}
	if len(c.Plan.Compare) > 0 && c.Look != nil && c.HasRow(func(r VerdictRow) bool { return r.asked && r.Cell == nil && r.Clients == 0 && r.Outcome == "" }) {
		lines = append(lines, "comparisons declared beforehand: "+strings.Join(c.Plan.Compare, ", "))
	}
	if isRange := func(r VerdictRow) bool { return r.Level == 0 && r.N > 1 && HasNumber(r.Verdict) }; c.HasRow(isRange) || slices.ContainsFunc(c.others, isRange) {
		lines = append(lines, "a range is the smallest and the largest effect of the "+c.Unit()+"s: it is not a confidence interval")
	}
	return append(lines, c.ofLoop()...)
}

// hasUndeclared reports whether rows have no verdict because they were not declared. Of imported numbers
// none was.
func (c *Report) hasUndeclared() bool {
	return c.Look != nil && len(c.Imported) == 0 && c.HasRow(func(r VerdictRow) bool { return !r.asked && !metricOf(r.Verdict).Plain })
}

// plain returns the titles of the metrics without a direction, each once.
func (c *Report) plain() (titles []string) {
	for _, v := range c.Verdicts {
		if m := metricOf(v); m.Plain && !slices.Contains(titles, c.Words.Say(m.Title)) {
			titles = append(titles, c.Words.Say(m.Title))
		}
	}
	return titles
}

// ofLoop explains how the kind of load affects the numbers.
func (c *Report) ofLoop() []string {
	var lines []string
	if slices.Contains(c.loops, "open") && c.HasRow(func(r VerdictRow) bool { return r.Metric == "tps" }) {
		lines = append(lines, "with a rate, "+c.Words.Rate+" equals that rate if the server can sustain it: environments then differ in latency")
	}
	// Latencies of the load, not of a disk or the WAL.
	if c.HasRow(func(r VerdictRow) bool { return isLatency(r.Verdict) && !metricOf(r.Verdict).Figure }) {
		if slices.Contains(c.loops, "closed") {
			lines = append(lines, phrase.ClosedLoop)
		}
		if slices.Contains(c.loops, "open") {
			lines = append(lines, phrase.OpenLoop(c.Words))
		}
	}
	return lines
}

// TooEarly announces the first look.
func (c *Report) TooEarly() []string {
	if c.Look != nil || c.Next == nil || c.Open() {
		return nil
	}
	most := 0
	for _, v := range c.Verdicts {
		most = max(most, v.N)
	}
	if c.over && len(c.Records) == 1 {
		return []string{fmt.Sprintf("no verdict: the first look is at %s, after repeat %d, and %s",
			phrase.Plural(c.Next.Units, c.Unit()), c.Next.Repeat, thereAre(most))}
	}
	if most >= c.Next.Units {
		return []string{fmt.Sprintf("no verdict yet: the first look comes when repeat %d is complete", c.Next.Repeat)}
	}
	return []string{fmt.Sprintf("no verdict yet: the first look is at %s, after repeat %d; %s",
		phrase.Plural(c.Next.Units, c.Unit()), c.Next.Repeat, thereAre(most))}
}

// part returns the word for a part of a workload: a cell, or all cells with the same client
// count.
func (c *Report) part() string {
	if len(c.Cells) > 0 && c.Cells[0].Cell == nil {
		return "client count"
	}
	return "cell"
}

// tooFew gives the minimum number of units for a verdict, if any row has fewer.
func (c *Report) tooFew(what string, cells bool, fewest int) []string {
	most, found := 0, false
	for _, p := range c.pairs {
		of := p.verdicts
		if cells {
			of = p.cells
		}
		for _, r := range of {
			undecided := r.Outcome == "" || r.Outcome == record.Inconclusive
			if undecided && r.asked && r.N < fewest {
				most, found = max(most, r.N), true
			}
		}
	}
	if !found {
		return nil
	}
	return []string{fmt.Sprintf("too few %ss for a verdict on a %s: at least %d are needed, %s", c.Unit(), what, fewest, thereAre(most))}
}

func thereAre(n int) string {
	if n == 1 {
		return "there is 1"
	}
	return fmt.Sprintf("there are %d", n)
}

// Decides reports whether there are verdicts by this metric: the declared one, or another
// requested one.
func (c *Report) Decides(metric string) bool {
	return metric == c.Plan.Metric || slices.ContainsFunc(slices.Concat(c.Verdicts, c.OtherPairs), func(v record.Verdict) bool {
		return v.Metric == metric && v.Outcome != "" && v.Outcome != record.Unfit
	})
}

// HasRow reports whether is holds for any verdict on a workload or a cell, against the baseline.
func (c *Report) HasRow(is func(VerdictRow) bool) bool {
	return slices.ContainsFunc(c.pairs, func(p pair) bool {
		return slices.ContainsFunc(p.verdicts, is) || slices.ContainsFunc(p.cells, is)
	})
}

// Percentage formats a share: 3 %, 0.5 %.
func Percentage(share float64) string {
	return strings.TrimSuffix(unit.Share(share).String(), "%") + " %"
}

// look describes the planned look at which the verdicts were read.
func (c *Report) look() []string {
	switch {
	case c.Look == nil:
		return nil
	case len(c.Plan.Looks) == 0: // of two records, each read at its end
		return []string{fmt.Sprintf("one look, at the end of both: %s, alpha %s", phrase.Plural(c.Look.Units, c.Unit()), phrase.Exact(c.Look.Alpha))}
	}
	last := c.Plan.Looks[len(c.Plan.Looks)-1]
	text := fmt.Sprintf("look after %d of %s (repeat %d of %d), alpha %s",
		c.Look.Units, phrase.Plural(last.Units, "planned "+c.Unit()), c.Look.Repeat, last.Repeat, phrase.Exact(c.Look.Alpha))
	if c.ended {
		text += "; ended here: everything was decided"
	} else if c.Next != nil {
		text += fmt.Sprintf("; the next look is at %d (repeat %d)", c.Next.Units, c.Next.Repeat)
	}
	return []string{text}
}

// test names the test and the units it flips.
func (c *Report) test() string {
	switch {
	case c.Unpaired:
		return "test for independent samples, each the mean over the cells of a repeat: the runs of the two records were not interleaved"
	case c.Plan.Unit == "repeat":
		return "sign-flip test over repeats, each the mean over its cells, because the repeat is the unit that was randomised"
	}
	return "sign-flip test over blocks (one cell in each environment, back to back)"
}

// family returns how many comparisons share the error: those that were read, possibly fewer
// than planned.
func (c *Report) family() []string {
	var lines []string
	if c.Families.Workload > 1 {
		lines = append(lines, phrase.Plural(c.Families.Workload, "comparison")+" of workloads share the error rate (Holm)")
	}
	if len(c.Cells) > 0 && c.Families.Cell > 1 {
		lines = append(lines, phrase.Plural(c.Families.Cell, "comparison")+" of "+c.part()+"s share a separate error rate")
		if len(c.OtherCells) > 0 {
			lines = append(lines, c.part()+"s of the other pairs: plinth compare RECORD ENVIRONMENT ENVIRONMENT")
		}
	}
	return lines
}

// Chances lists the p values of the deciding comparisons.
func (c *Report) Chances() []string {
	var rows []VerdictRow
	for _, p := range c.pairs {
		rows = append(rows, p.verdicts...)
	}
	var lines []string
	for _, r := range append(rows, c.others...) {
		if c.Decides(r.Metric) && r.HasNumber() && r.Level > 0 {
			lines = append(lines, fmt.Sprintf("p of %s, %s: %s (two-sided test of no effect, not corrected)", r.Workload, r.pair(), strconv.FormatFloat(r.P, 'g', 2, 64)))
		}
	}
	return lines
}

// loopsOf returns the kinds of load in records: "open", "closed" or both.
func loopsOf(records []*record.Record) []string {
	var loops []string
	for _, rec := range records {
		for _, run := range rec.Runs {
			if !slices.Contains(loops, run.Result.Loop) {
				loops = append(loops, run.Result.Loop)
			}
		}
	}
	return loops
}
