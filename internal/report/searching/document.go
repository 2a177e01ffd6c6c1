// Package searching reports what a search for a tuning has tried and found.
package searching

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/profile"
	"plinth/internal/prose"
	"plinth/internal/report/output"
	"plinth/internal/report/phrase"
	"plinth/internal/search"
	"plinth/internal/search/study"
	"plinth/internal/unit"
)

// Schema is the schema of the JSON of a report.
const Schema = "plinth/search-report/v1"

// Report is the content of the report.
type Report struct {
	Schema  string        `json:"schema"`
	Search  study.State   `json:"search"`
	Matters []Dimension   `json:"matters"`             // the dimensions that were tried, the greatest estimated effect first
	Tried   []Tried       `json:"tried"`               // the moves, in order
	Found   *study.Change `json:"estimated,omitempty"` // of the objective, with what was found
}

// Dimension holds what is known of a dimension.
type Dimension struct {
	Name         string `json:"name"`
	From         string `json:"from"`
	To           string `json:"to"`   // of the levels that were tried, that with the greatest estimated gain
	Best         bool   `json:"best"` // it is in what was found
	Moves        int    `json:"moves"`
	study.Change        // of the objective, against where the search began

	gain float64
	half float64 // of the narrowest 90 % interval that a round measured, as a logarithm
}

// Tried is a move of a round against the best point before it.
type Tried struct {
	Round int    `json:"round"`
	Name  string `json:"name"`
	From  string `json:"from"`
	To    string `json:"to"`
	study.Change
}

// short returns a change with its interval in per cent: "+3.3 (0.1 to 6.7)".
func short(c study.Change) string {
	return fmt.Sprintf("%+.1f (%.1f to %.1f)", 100*c.Effect, 100*c.Low, 100*c.High)
}

func percent(v float64) string { return fmt.Sprintf("%+.1f %%", 100*v) }

// New returns the report of a search.
func New(s study.State) Report {
	r := Report{Schema: Schema, Search: s, Matters: []Dimension{}, Tried: []Tried{}}
	known, moves, best := s.Known(), map[int]int{}, map[int]int{} // by dimension: the level of best that was tried
	halves := map[int]float64{}
	for i, round := range s.Rounds {
		for j, e := range round.Estimates {
			m := round.Moves[j]
			d := s.Space[m.Dimension]
			r.Tried = append(r.Tried, Tried{i + 1, d.Name, d.Levels[m.From].Text, d.Levels[m.To].Text, s.Change(e)})
			if half, measured := halves[m.Dimension]; !measured || search.Within*e.Error < half {
				halves[m.Dimension] = search.Within * e.Error
			}
			moves[m.Dimension]++
			for _, level := range []int{m.From, m.To} {
				top, there := best[m.Dimension]
				if level != d.Start && (!there || known.Gain(m.Dimension, level).Effect > known.Gain(m.Dimension, top).Effect) {
					best[m.Dimension] = level
				}
			}
		}
	}
	found := s.Best()
	for i, d := range s.Space {
		if moves[i] == 0 {
			continue
		}
		to := best[i]
		gain := known.Gain(i, to)
		r.Matters = append(r.Matters, Dimension{d.Name, d.Levels[d.Start].Text, d.Levels[to].Text, found[i] == to, moves[i], s.Change(gain), gain.Effect, halves[i]})
	}
	slices.SortStableFunc(r.Matters, func(a, b Dimension) int { return cmp.Compare(b.gain, a.gain) })
	if len(r.Tried) > 0 {
		change := s.Change(s.Gain(found))
		r.Found = &change
	}
	return r
}

// Write writes the report of a search.
func Write(w io.Writer, s study.State, format string, width int) error {
	r := New(s)
	return output.Write(w, format, width, output.Forms{
		Of:       "of a search",
		Document: func() (prose.Document, error) { return r.brief(), nil },
		Value:    func() (any, error) { return r, nil },
	})
}

// Document returns the report with everything that was tried.
func (r Report) Document() prose.Document {
	d := r.brief()[1:] // the page has the title
	d.Add(r.picture(), prose.Heading("What was tried, in order"), r.tried())
	return d
}

// Title is the title of a page of the report.
func (r Report) Title() string { return "Search: " + r.objective() + " of " + r.Search.Source }

// brief is the report as a terminal shows it.
func (r Report) brief() prose.Document {
	var d prose.Document
	d.Add(prose.Heading(r.Title()), prose.Paragraph(r.spent()))
	d.Add(prose.Paragraph(r.answer()))
	if c := r.Search.Confirmation; c != nil && len(c.Ahead) > 0 {
		d.Add(prose.Paragraph(r.ahead()))
	}
	if c := r.Search.Confirmation; c != nil && len(c.Sentences) > 0 {
		d.Add(prose.List(c.Sentences))
	}
	if len(r.Matters) > 0 {
		d.Add(prose.Heading("Estimated from the rounds, against "+r.Search.Start), r.matters())
		d.Add(r.legend(func(name string) bool {
			return slices.ContainsFunc(r.Matters, func(d Dimension) bool { return d.Name == name })
		})...)
		d.Add(
			prose.Paragraph("Effects of one change among many, with 90 % intervals; * is in what was found. They chose what was tried; only the confirmation proves anything."))
	}
	d.Add(r.risks()...)
	if len(r.excluded()) > 0 {
		d.Add(prose.Heading("Not possible here"), prose.List(r.excluded()))
	}
	d.Add(r.notes()...)
	return d
}

// risks says what the values that were found may cost beside what the runs show.
func (r Report) risks() []prose.Block {
	if c := r.Search.Confirmation; c != nil && c.Ended && !c.Better {
		return nil
	}
	var lines []string
	for i, level := range r.Search.Best() {
		d := r.Search.Space[i]
		if l := d.Levels[level]; l.Risk != search.NoRisk {
			lines = append(lines, fmt.Sprintf("%s %s: %s (%s)", d.Name, l.Text, l.Risk.About(), l.Risk))
		}
	}
	if lines == nil {
		return nil
	}
	return []prose.Block{prose.Heading("Risks that the runs do not show"), prose.List(lines)}
}

// notes says what weakens the search.
func (r Report) notes() []prose.Block {
	all := r.Search.Notes
	if c := r.Search.Confirmation; c != nil && len(c.NoTime) > 0 {
		all = append(slices.Clip(all), fmt.Sprintf("There was no time to compare with %s: use a longer --for, or shorter runs.", phrase.And(c.NoTime)))
	}
	if len(all) == 0 {
		return nil
	}
	return []prose.Block{prose.Heading("What weakens it"), prose.List(all)}
}

func (r Report) objective() string { return r.Search.Title(r.Search.Objective) }

// spent says how much was measured.
func (r Report) spent() string {
	rounds, runs, failed := 0, 0, 0
	for _, round := range r.Search.Rounds {
		runs += round.Runs
		switch {
		case round.Failed != "":
			failed++
		case round.Ended():
			rounds++
		}
	}
	text := fmt.Sprintf("%s with %s in %s, of %s.", phrase.Plural(rounds, "round"), phrase.Plural(runs, "valid run"),
		unit.About(r.Search.Used.Duration()), unit.About(r.Search.For.Duration()))
	if failed > 0 {
		text += fmt.Sprintf(" %s without a result.", phrase.Plural(failed, "round"))
	}
	if c := r.Search.Confirmation; c != nil && !c.Ended {
		text += " The confirmation has begun."
	} else if n := len(r.Search.Rounds); n > 0 && !r.Search.Rounds[n-1].Ended() {
		text += fmt.Sprintf(" Round %d has begun.", n)
	}
	return text
}

// ahead says which advice is better than what the search answers with.
func (r Report) ahead() string {
	c := r.Search.Confirmation
	text := "Also better than " + r.Search.Start
	if c.Better {
		text = "Other advice is better still"
	}
	text += ", with a verdict: " + phrase.And(c.Ahead) + "."
	for _, name := range c.Ahead {
		if _, err := profile.Find(name); err == nil || name == "default" {
			return text + " Search from there: --start " + name + "."
		}
	}
	return text
}

// answer says what was found.
func (r Report) answer() string {
	s, c := r.Search, r.Search.Confirmation
	switch {
	case c == nil:
		return "The search has not ended, and nothing is confirmed."
	case c.Same:
		return fmt.Sprintf("Nothing better than %s is known: what was found is the same as another tuning on this machine.%s", s.Start, r.seen())
	case !c.Different && r.weakened():
		return fmt.Sprintf("Nothing better than %s is known: the server does not start with what seemed better.", s.Start)
	case !c.Different:
		return fmt.Sprintf("Nothing better than %s is known: no value that was tried is better with a probability of at least 80 %%.%s", s.Start, r.seen())
	case len(c.Verdicts) == 0:
		return "What was found is not confirmed yet."
	}
	text := ""
	for _, v := range c.Verdicts {
		text += fmt.Sprintf(" %s: %s %s (%s to %s, %d repeats).", v.Workload, r.objective(), percent(v.Effect), percent(v.Low), percent(v.High), v.N)
	}
	for _, v := range c.Beside {
		text += fmt.Sprintf(" Besides, %s of %s changes by %s (%s to %s), without a verdict.", r.Search.Title(v.Metric), v.Workload, percent(v.Effect), percent(v.Low), percent(v.High))
	}
	if c.Better {
		return fmt.Sprintf("What was found is better than %s, confirmed with new data.%s", s.Start, text)
	}
	return fmt.Sprintf("Nothing better than %s is known: the confirmation does not prove that what was found is better.%s", s.Start, text)
}

// weakened reports whether changes that seemed better were left out, since a server does not start with them.
func (r Report) weakened() bool {
	return slices.ContainsFunc(r.Search.Excluded, func(e study.Excluded) bool { return strings.HasPrefix(e.Reason, study.Together) })
}

// unclear is the half-width of an interval, as a logarithm, from which on a round has not separated a change from the others.
const unclear = 0.2

// seen says what the rounds could have seen. The intervals of the table of what matters would not do: they have a part of what
// is assumed before anything is measured.
func (r Report) seen() string {
	most, unknown := 0.0, 0
	for _, d := range r.Matters {
		if d.half < unclear {
			most = max(most, d.half)
		} else {
			unknown++
		}
	}
	text := ""
	if most > 0 {
		text = fmt.Sprintf(" The rounds measured the effects of single changes to within %.1f %%.", 100*math.Expm1(most))
	}
	if unknown > 0 {
		text += fmt.Sprintf(" The runs could not tell %s apart from the others.", phrase.Plural(unknown, "change"))
	}
	return text
}

func (r Report) matters() prose.Block {
	t := prose.WordTable{Columns: []prose.Column{{Title: "Change"}, {Title: "Effect, %", Right: true}, {Title: "Values"}}}
	for _, d := range r.Matters {
		mark := ""
		if d.Best {
			mark = " *"
		}
		t.Rows = append(t.Rows, []string{d.Name + mark, short(d.Change), change(d.From, d.To)})
	}
	return t
}

func (r Report) tried() prose.Block {
	t := prose.WordTable{Columns: []prose.Column{{Title: "Round", Right: true}, {Title: "Change"}, {Title: "Effect, %", Right: true}, {Title: "Values"}}}
	for _, m := range r.Tried {
		t.Rows = append(t.Rows, []string{fmt.Sprint(m.Round), m.Name, short(m.Change), change(m.From, m.To)})
	}
	return t
}

// change describes a move between two levels: "925 → 50". The values of a level are separated by " / ".
func change(from, to string) string { return from + " → " + to }

// legend names the knobs of the changes of a table that are of several ones.
func (r Report) legend(listed func(name string) bool) []prose.Block {
	var lines []string
	for _, d := range r.Search.Space {
		if len(d.Knobs) > 1 && listed(d.Name) {
			lines = append(lines, d.Name+": "+strings.Join(d.Knobs, " / "))
		}
	}
	if lines == nil {
		return nil
	}
	return []prose.Block{prose.Paragraph("Changes of several knobs, in the order of their values:"), prose.List(lines)}
}

// picture draws the effects of what was tried, in order.
func (r Report) picture() prose.Block {
	f := chart.Forest{Title: "Effect on " + r.objective() + " of what was tried", Unit: "%", Less: "worse", More: "better"}
	if r.Search.Lower() {
		f.Less, f.More = f.More, f.Less
	}
	for _, m := range r.Tried {
		f.Rows = append(f.Rows, chart.ForestRow{
			Group: fmt.Sprintf("round %d", m.Round), Label: m.Name, Detail: m.To,
			Effect: 100 * m.Effect, Low: 100 * m.Low, High: 100 * m.High, Text: m.String(),
		})
	}
	return prose.Picture{Name: "tried", SVGs: []string{f.SVG()}}
}

// excluded says what is not possible here. Of changes that were suspected because a server did not start, it names those that
// were not tried again.
func (r Report) excluded() []string {
	var lines []string
	for _, e := range r.Search.Excluded {
		d := r.Search.Space[e.Dimension]
		lines = append(lines, fmt.Sprintf("%s %s: %s", d.Name, d.Levels[e.Level].Text, e.Reason))
	}
	for _, m := range r.Search.Suspected() {
		d := r.Search.Space[m.Dimension]
		lines = append(lines, fmt.Sprintf("%s %s: perhaps; a server that had it among other changes did not start", d.Name, d.Levels[m.To].Text))
	}
	for _, u := range r.Search.Unfit {
		lines = append(lines, u.Name+", which is left out of the confirmation: "+u.Reason)
	}
	return lines
}
