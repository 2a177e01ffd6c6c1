package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// answer is what matters first: the answer, how sure it is, and what weakens it.
func (f *Full) answer() document {
	var d document
	f.show.addState(&d, f.rec.Path)
	return document{f.beside(d)}
}

// beside is the answer, after what must be known first, and beside it what weakens
// it.
func (f *Full) beside(said document) block {
	said.Add(answerLine{f.Answer, f.answerWords()}, paragraph(f.differs()), paragraph(f.certainty()))
	said = append(said, f.overview()...)
	weak := f.weaknesses()
	if len(weak) == 0 {
		return said
	}
	return columns{said, weak}
}

// columns are two blocks beside each other where there is room.
type columns [2]block

func (c columns) Text(width int) string { return document{c[0], c[1]}.Text(width) }

// Markdown has them below each other.
func (c columns) Markdown() string { return document{c[0], c[1]}.Markdown() }

func (c columns) HTML() string {
	return "<div class=\"beside\"><div>\n" + c[0].HTML() + "</div>\n" + c[1].HTML() + "</div>\n"
}

// answerLine is the answer, with the words that it rests on.
type answerLine struct {
	text  string
	words []record.Word
}

func (a answerLine) Text(width int) string { return paragraph(a.text).Text(width) }

// Markdown is a line that stands out.
func (a answerLine) Markdown() string { return "**" + prose.EscapeMarkdown(a.text) + "**\n" }

func (a answerLine) HTML() string {
	var b strings.Builder
	b.WriteString(`<p class="answer">`)
	for _, word := range a.words {
		fmt.Fprintf(&b, `<span class="word word-%[1]s">%[1]s</span> `, prose.EscapeHTML(string(word)))
	}
	return b.String() + prose.EscapeHTML(a.text) + "</p>\n"
}

// weaknesses is what weakens the answer, the worst first and named so.
type weaknesses []weakness

// weakness is one thing, whose numbers it weakens, and what can be done.
type weakness struct{ of, text, hint string }

func (w weakness) line() string {
	line := w.text
	if w.of != "" {
		line = w.of + ": " + line
	}
	if w.hint != "" {
		line += " (" + w.hint + ")"
	}
	return line
}

// weakensTitle is above what weakens an answer.
const weakensTitle = heading("What weakens it")

func (w weaknesses) Text(width int) string {
	return document{weakensTitle, list(w.lines())}.Text(width)
}

// Markdown is a list.
func (w weaknesses) Markdown() string { return document{weakensTitle, list(w.lines())}.Markdown() }

func (w weaknesses) lines() []string {
	var lines []string
	for _, one := range w {
		lines = append(lines, one.line())
	}
	lines[0] = "weakest point: " + lines[0]
	return limit(lines)
}

// HTML is a list of which a few are seen at once: they stand beside the answer, and
// must not push the numbers off the screen.
func (w weaknesses) HTML() string {
	const seen = 3
	first, rest := w[:min(seen, len(w))], w[min(seen, len(w)):]
	html := `<aside class="weakens">` + weakensTitle.HTML() + `<ul class="notes">` + "\n" + strings.Replace(first.items(), `note-warning">`, `note-warning"><strong>Weakest point:</strong> `, 1) + "</ul>\n"
	if len(rest) > 0 {
		html += fmt.Sprintf("<details><summary>%d more</summary>\n<ul class=\"notes\">\n%s</ul>\n</details>\n", len(rest), rest.items())
	}
	return html + "</aside>\n"
}

func (w weaknesses) items() string {
	var b strings.Builder
	for _, one := range w {
		b.WriteString(`<li class="note note-warning">`)
		if one.of != "" {
			b.WriteString("<em>" + prose.EscapeHTML(one.of) + ":</em> ")
		}
		b.WriteString(prose.EscapeHTML(one.text))
		if one.hint != "" {
			b.WriteString(` <span class="hint">` + prose.EscapeHTML(one.hint) + "</span>")
		}
		b.WriteString("</li>\n")
	}
	return b.String()
}

// answerText is the answer in one sentence for each environment that is compared.
func (f *Full) answerText() string {
	if f.comparison == nil {
		return f.alone()
	}
	return cmp.Or(f.comparison.answer(), f.unanswered("there is no block in which both environments have a valid run"))
}

// unanswered says why there is no answer, and whether there may be one yet.
func (f *Full) unanswered(why string) string {
	if f.rec.Summary.State == record.Complete {
		return "No answer: " + why + "."
	}
	return fmt.Sprintf("No answer yet: %d of %s.", len(f.rec.Runs), plural(f.rec.Summary.Planned, "planned run"))
}

// AnswerOf is the answer of verdicts alone, as a list of records shows it: "" where
// there is none.
func AnswerOf(plan record.Plan, verdicts []record.Verdict) string {
	return newComparison(&verdict.Comparison{Plan: plan, Verdicts: verdicts}).answer()
}

func (c *comparison) answer() string {
	var sentences []string
	for kind := range leadKinds {
		for _, p := range c.pairs {
			if text := c.lead(p, c.leadKinds(p)[kind]); text != "" {
				sentences = append(sentences, text)
			}
		}
	}
	return strings.Join(sentences, " ")
}

// answerWords is the word of the answer, where there is one for all of it.
func (f *Full) answerWords() []record.Word {
	if f.comparison == nil {
		return nil
	}
	found := map[record.Word]bool{}
	for _, v := range f.comparison.Verdicts {
		if f.comparison.decides(v.Metric) && f.comparison.Asked(v) {
			found[v.Word] = true
		}
	}
	if len(found) != 1 {
		return nil // beside several a reader would have to guess which is of what
	}
	return slices.DeleteFunc(slices.Clone(wordOrder), func(w record.Word) bool { return !found[w] })
}

// wordOrder is in which order an answer says what is known.
var wordOrder = []record.Word{record.Better, record.Worse, record.Equivalent, record.Inconclusive, record.Unfit}

// alone is what a record says in which nothing is compared.
func (f *Full) alone() string {
	var parts []string
	for _, e := range f.show.Environments {
		for _, w := range f.show.Workloads {
			if a := averageOf(e.Averages, w.Name); a.Cells > 0 {
				parts = append(parts, fmt.Sprintf("%s: %s %s TPS, %s", e.Name, w.Name, a.tps(), a.latency()))
			}
		}
	}
	if len(parts) == 0 {
		return f.unanswered("no run is fit to be a number")
	}
	return "Nothing is compared here. Averages over all cells: " + strings.Join(parts, "; ") + "."
}

// lead is what is said alike of the workloads of a pair, by the metric that decides:
// "memory is better than disk for tpcb-like: TPS +64 % (97.5 % interval +30 to
// +122 %)."
func (c *comparison) lead(p pair, kind leadKind) string {
	var parts []string
	for _, r := range p.verdicts {
		if c.decides(r.Metric) && r.says() && kind.holds(r) {
			parts = append(parts, r.leadPart(c.Plan.Margin))
		}
	}
	if parts == nil {
		return ""
	}
	return kind.text + " " + strings.Join(parts, "; for ") + "."
}

// leadKinds is how many kinds there are.
const leadKinds = 7

// leadKind is what is said alike of several workloads.
type leadKind struct {
	text  string
	holds func(verdictRow) bool
}

// leadKinds are in the order in which an answer has them: what is known first.
func (c *comparison) leadKinds(p pair) [leadKinds]leadKind {
	few := func(r verdictRow) bool {
		return r.hasNumber() && (r.Word == "" && c.Look != nil && r.asked || r.Word == record.Inconclusive) && r.N < c.Fewest.Workload
	}
	is := func(word record.Word) func(verdictRow) bool {
		return func(r verdictRow) bool { return r.Word == word && !few(r) }
	}
	yet := " yet"
	if c.over {
		yet = ""
	}
	return [leadKinds]leadKind{
		{p.other + " is better than " + p.baseline + " for", is(record.Better)},
		{p.other + " is worse than " + p.baseline + " for", is(record.Worse)},
		{p.other + " and " + p.baseline + " are equivalent for", is(record.Equivalent)},
		{"Whether " + p.other + " differs from " + p.baseline + " is not decided for", is(record.Inconclusive)},
		{fmt.Sprintf("Too few %ss for a verdict on %s against %s (it takes at least %d) for", c.unit(), p.other, p.baseline, c.Fewest.Workload), few},
		{"There is no verdict on " + p.other + " against " + p.baseline + yet + " for", is("")},
		{p.other + " cannot be compared with " + p.baseline + " for", is(record.Unfit)},
	}
}

// leadPart is a subject with its effect and interval, both with their signs; without
// a number it is why there is none.
func (r verdictRow) leadPart(margin float64) string {
	if !r.hasNumber() {
		if len(r.Warnings) > 0 {
			return r.Workload + " (" + r.Warnings[0].Text + ")"
		}
		return r.Workload
	}
	text := r.Workload + ": " + metricTitle(r.Metric) + " " + effect(r.Verdict, margin)
	if limits := signedSpan(r.Verdict, margin); limits != "" {
		text += " (" + levelName(r.Level) + " " + limits + ")"
	}
	return text
}

// certainty says what the answer rests on.
func (f *Full) certainty() string {
	c := f.comparison
	if c == nil || !c.hasRow(func(r verdictRow) bool { return c.decides(r.Metric) && r.hasNumber() }) {
		return ""
	}
	least, most := 0, 0
	for _, v := range c.Verdicts {
		if !c.decides(v.Metric) || !hasNumber(v) {
			continue
		}
		if least == 0 || v.N < least {
			least = v.N
		}
		most = max(most, v.N)
	}
	units := plural(most, c.unit())
	if least < most {
		units = fmt.Sprintf("%d to %s", least, units)
	}
	text := fmt.Sprintf("Each number is the mean over %s%s. Differences within %s do not matter.", units, f.unitMeans(), percentage(c.Plan.Margin))
	if early := c.tooEarly(); len(early) > 0 {
		text += " " + capital(early[0]) + "."
	} else if c.Next != nil {
		text += fmt.Sprintf(" It is read at %s of %d planned.", plural(c.Look.Units, c.unit()), c.Plan.Looks[len(c.Plan.Looks)-1].Units)
	}
	return text
}

// unitMeans says of how many loads the blocks are, what a block is, and how long its
// runs are.
func (f *Full) unitMeans() string {
	if f.comparison.Plan.Unit == "repeat" || f.comparison.Unpaired {
		return ""
	}
	loads := 0
	for _, v := range f.comparison.Verdicts {
		loads = max(loads, v.Cells)
	}
	of := ""
	if loads > 1 {
		of = fmt.Sprintf(" of %d loads", loads)
	}
	return of + " (a block is one load in each environment, back to back, " + measured(f.show.Method) + " each)"
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// weaknesses are all warnings of the answer and of its runs, what can shift it most
// first.
func (f *Full) weaknesses() weaknesses {
	c := f.comparison
	if c == nil {
		c = &comparison{Comparison: &verdict.Comparison{}}
	}
	all := append(c.ofTheAnswer(), c.warnings(f.shows)...)
	place := func(w warning) int {
		if w.Rule == ruleOneLoad && c.farFromNothing() {
			return len(weights) // what a load can do is far less than was found
		}
		return weight(w.Rule)
	}
	slices.SortStableFunc(all, func(a, b warning) int { return cmp.Compare(place(a), place(b)) })
	var weak weaknesses
	if lost, found := f.lostNote(); found {
		weak = append(weak, lost)
	}
	for _, w := range all {
		one := weakness{text: w.Text, hint: w.Hint}
		if !slices.Contains(w.of, "") {
			one.of = strings.Join(w.of, " and ")
		}
		weak = append(weak, one)
	}
	return weak
}

// ruleOneLoad warns of the luck of a single load of the dataset.
const ruleOneLoad = "one-load"

// farFromNothing says whether each interval that decides is further from no effect
// than the luck of a load explains: loads differ by one or two per cent.
func (c *comparison) farFromNothing() bool {
	const luck = 0.05
	found := false
	for _, v := range c.Verdicts {
		if !c.decides(v.Metric) || v.Word != record.Better && v.Word != record.Worse {
			continue
		}
		if v.Low < luck && v.High > -luck {
			return false
		}
		found = true
	}
	return found
}

// ofTheAnswer are what weakens single verdicts, of those that say that something is
// known, or that there is not enough to know: the rest has its footnotes.
func (c *comparison) ofTheAnswer() []warning {
	var all []warning
	for _, v := range c.Verdicts {
		if !c.decides(v.Metric) || v.Word == record.Inconclusive && v.N >= c.Fewest.Workload {
			continue
		}
		for _, note := range weakening(v.Warnings) {
			about := v.Workload
			if len(c.pairs) > 1 {
				about = v.Other + ", " + v.Workload
			}
			at := slices.IndexFunc(all, func(w warning) bool { return alike(note)(w.Note) })
			if at < 0 {
				all = append(all, warning{note, []string{about}})
			} else if !slices.Contains(all[at].of, about) {
				all[at].of = append(all[at].of, about)
			}
		}
	}
	return all
}

// lostNote says how much of what was driven is in no number. Blocks that are not
// complete yet are not lost, and neither is one that was driven again.
func (f *Full) lostNote() (weakness, bool) {
	blocks, runs := 0, 0
	for _, s := range f.shows {
		runs += s.Method.Runs
		for _, note := range s.LeftOut {
			if note.Rule == record.RuleBlockInvalid {
				blocks++
			}
		}
	}
	if blocks == 0 {
		return weakness{}, false
	}
	bad := 0
	for _, s := range f.shows {
		bad += len(s.NotValid)
	}
	return weakness{text: fmt.Sprintf("%s left out in every environment (%d of %s not valid): none of it is in any number",
		plural(blocks, "block"), bad, plural(runs, "run"))}, true
}
