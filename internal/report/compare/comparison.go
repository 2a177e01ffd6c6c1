package compare

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/show"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// Report prepares a verdict.Comparison for output: the sentences to quote, the numbers, what
// weakens them, and how it was decided.
type Report struct {
	*verdict.Comparison
	pairs   []pair
	others  []VerdictRow // by metrics that decide, of the pairs without the baseline
	Notes   Footnotes
	assumed Footnotes // notes on how p was computed, which weaken nothing
	loops   []string  // "open", "closed" or both: the runs' kinds of load, as far as known
	ended   bool      // early, because everything was decided
	records []*record.Record
	over    bool // the records are complete
	Words   experiment.Terms
}

// pair holds the verdicts on one environment against another.
type pair struct {
	baseline, other string
	verdicts, cells []VerdictRow
}

// New prepares a comparison of records. The records are optional: the verdicts do not need
// them.
func New(c *verdict.Comparison, records ...*record.Record) *Report {
	found := &Report{Comparison: c, loops: loopsOf(records), records: records, Words: experiment.TermsOf(c.Engine)}
	found.over = len(records) > 0 && !slices.ContainsFunc(records, func(rec *record.Record) bool { return rec.Summary.State != record.Complete })
	found.ended = found.over && len(records) == 1 && strings.HasPrefix(records[0].Summary.Reason, "decided at")
	for _, v := range c.Verdicts {
		p := found.pair(v)
		p.verdicts = append(p.verdicts, VerdictRow{v, found.mark(v.Warnings), found.Decides(v.Metric), found.Words})
	}
	for _, v := range c.Cells {
		// Only deciding metrics are shown per cell; JSON and CSV have the rest. If no cell has
		// a number, the workload's row is enough.
		if p := found.pair(v); found.Decides(v.Metric) && slices.ContainsFunc(c.Cells, p.isNumberOf) {
			p.cells = append(p.cells, VerdictRow{v, found.mark(p.ownWarnings(v)), true, found.Words})
		}
	}
	for _, v := range c.OtherPairs {
		if found.Decides(v.Metric) {
			found.others = append(found.others, VerdictRow{v, found.mark(v.Warnings), true, found.Words})
		}
	}
	return found
}

// mark adds the notes that weaken a verdict as footnotes and returns their mark. Too few units
// need no footnote: the row shows a range instead of an interval.
func (c *Report) mark(notes []record.Note) string {
	weak := Weakening(notes)
	for _, note := range notes {
		if !slices.Contains(weak, note) && note.Rule != stats.RuleFewUnits && !c.assumed.has(note) {
			c.assumed = append(c.assumed, note)
		}
	}
	return c.Notes.Mark(weak)
}

// Weakening returns notes without those on how p was computed, which weaken nothing, and those
// on few units, which a level of 0 shows.
func Weakening(notes []record.Note) []record.Note {
	return slices.DeleteFunc(slices.Clone(notes), func(note record.Note) bool {
		return note.Rule == stats.RuleFewUnits || !stats.Note{Rule: note.Rule}.Warning()
	})
}

// ruleBlocksLost is the rule of notes on the number of omitted blocks; n of a part with a
// number shows the same.
const ruleBlocksLost = "blocks-lost"

// ownWarnings returns the warnings of a part that its workload does not have. If both are
// invalid, the workload already names the blocks.
func (p *pair) ownWarnings(part record.Verdict) []record.Note {
	var whole record.Verdict
	for _, r := range p.verdicts {
		if r.Workload == part.Workload && r.Metric == part.Metric {
			whole = r.Verdict
		}
	}
	return slices.DeleteFunc(slices.Clone(part.Warnings), func(note record.Note) bool {
		counted := note.Rule == ruleBlocksLost && (part.Outcome != record.Unfit || whole.Outcome == record.Unfit)
		return counted || slices.ContainsFunc(whole.Warnings, alike(note))
	})
}

// isNumberOf reports whether v belongs to the pair and has a number.
func (p *pair) isNumberOf(v record.Verdict) bool {
	return v.Baseline == p.baseline && v.Other == p.other && HasNumber(v)
}

// pair returns the pair of v. Pairs are kept in order of first occurrence.
func (c *Report) pair(v record.Verdict) *pair {
	at := slices.IndexFunc(c.pairs, func(p pair) bool { return p.baseline == v.Baseline && p.other == v.Other })
	if at < 0 {
		at = len(c.pairs)
		c.pairs = append(c.pairs, pair{baseline: v.Baseline, other: v.Other})
	}
	return &c.pairs[at]
}

// AddTables adds the numbers, and what is needed to read them.
func (c *Report) AddTables(d *prose.Document) {
	if !c.HasRow(VerdictRow.says) {
		d.Add(prose.Paragraph("There is nothing to compare yet: no block in which both environments have a valid run."))
	}
	for _, p := range c.pairs {
		says := slices.ContainsFunc(p.verdicts, VerdictRow.says)
		if says && len(c.pairs) > 1 {
			d.Add(prose.Heading(p.other + " against " + p.baseline))
		}
		if says { // the verdicts first, then their parts
			d.Add(c.table("", p.verdicts, false))
		}
		if len(p.cells) > 1 {
			title := "By cell"
			if p.cells[0].Cell == nil {
				title = "By clients"
			}
			d.Add(c.table(title, p.cells, true))
		}
	}
	c.addOthers(d, c.others)
	d.Add(prose.List(c.remarks()), c.ranking())
	if len(c.Noise) > 0 {
		d.Add(noiseTable(c.Words, c.Noise))
	}
}

// addOthers adds the verdicts on the pairs without the baseline.
func (c *Report) addOthers(d *prose.Document, rows []VerdictRow) {
	if slices.ContainsFunc(rows, VerdictRow.says) {
		d.Add(prose.Heading("Other pairs of environments"), verdictTable{unit: c.Unit(), margin: c.Plan.Margin, pairs: true, rows: rows})
	}
}

func (c *Report) table(title string, rows []VerdictRow, cells bool) verdictTable {
	return verdictTable{title: title, unit: c.Unit(), margin: c.Plan.Margin, cells: cells, rows: rows,
		heads: [2]string{c.named(rows[0].Baseline), c.named(rows[0].Other)}}
}

// Unit returns the word for what n counts.
func (c *Report) Unit() string {
	if c.Plan.Unit == "repeat" {
		return "repeat"
	}
	return "block"
}

// Add adds a comparison: the sentences to quote, the numbers, each warning or missing value
// once, and how it was decided. Shows holds the compared records.
func (c *Report) Add(d *prose.Document, shows []*show.Numbers) {
	d.Add(prose.List(c.Sentences))
	c.AddTables(d)
	if len(shows) == 1 {
		d.Add(prose.Paragraph(shows[0].MissingNote()))
	}
	var warnings prose.List // those without a footnote
	for _, w := range c.AllWarnings(shows) {
		warnings = append(warnings, w.line())
	}
	d.Add(c.Notes.Lines(), warnings)
	for i, s := range shows {
		s.AddLost(d, c.NameOf(i))
	}
	c.AddDecided(d)
}

// AddBrief adds what matters most of a comparison: the sentences to quote, the table of the
// metrics that decide, and the three warnings that weaken it most. Command shows the others.
func (c *Report) AddBrief(d *prose.Document, numbers *show.Numbers, command string) {
	d.Add(prose.List(c.Sentences))
	for _, p := range c.pairs {
		rows := slices.DeleteFunc(slices.Clone(p.verdicts), func(r VerdictRow) bool { return !c.Decides(r.Metric) })
		if !slices.ContainsFunc(rows, VerdictRow.says) {
			continue
		}
		rows = unmarked(rows)
		if len(c.pairs) > 1 {
			d.Add(prose.Heading(p.other + " against " + p.baseline))
		}
		d.Add(c.table("", rows, false))
	}
	if len(c.others) > 0 {
		c.addOthers(d, unmarked(c.others))
		d.Add(c.ranking())
	}
	d.Add(prose.List(append(c.TooEarly(), c.look()...)))
	if len(c.Noise) > 0 {
		d.Add(noiseTable(c.Words, c.Noise))
	}
	d.Add(prose.Paragraph(numbers.MissingNote()))
	*d = append(*d, c.AllWeaknesses([]*show.Numbers{numbers}).Brief(command)...)
}

// unmarked returns rows without the marks of footnotes, for output that has them among its warnings.
func unmarked(rows []VerdictRow) []VerdictRow {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].mark = ""
	}
	return rows
}
