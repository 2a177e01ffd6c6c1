package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Weaknesses holds what weakens the answer, the worst first and labelled as such.
type Weaknesses []weakness

// weakness is a warning, what it concerns, and the remedy.
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

// weakensTitle is the heading of the weaknesses.
const weakensTitle = prose.Heading("What weakens the results")

func (w Weaknesses) Text(width int) string {
	if len(w) == 0 {
		return ""
	}
	return prose.Document{weakensTitle, prose.List(w.lines())}.Text(width)
}

// Markdown returns a list.
func (w Weaknesses) Markdown() string {
	if len(w) == 0 {
		return ""
	}
	return prose.Document{weakensTitle, prose.List(w.lines())}.Markdown()
}

func (w Weaknesses) lines() []string {
	var lines []string
	for _, one := range w {
		lines = append(lines, one.line())
	}
	lines[0] = "weakest point: " + lines[0]
	return phrase.AtMost(lines)
}

// HTML returns a list with three items visible: it stands beside the answer, and must not push
// the numbers off the screen.
func (w Weaknesses) HTML() string {
	const seen = 3
	first, rest := w[:min(seen, len(w))], w[min(seen, len(w)):]
	html := `<aside class="weakens">` + weakensTitle.HTML() + `<ul class="notes">` + "\n" + strings.Replace(first.items(), `note-warning">`, `note-warning"><strong>Weakest point:</strong> `, 1) + "</ul>\n"
	if len(rest) > 0 {
		html += fmt.Sprintf("<details><summary>%d more</summary>\n<ul class=\"notes\">\n%s</ul>\n</details>\n", len(rest), rest.items())
	}
	return html + "</aside>\n"
}

func (w Weaknesses) items() string {
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

// Brief returns the three worst weaknesses, and the number of the others with the command that
// shows them.
func (w Weaknesses) Brief(command string) prose.Document {
	const shown = 3
	if len(w) == 0 {
		return nil
	}
	d := prose.Document{weakensTitle, prose.List(w[:min(shown, len(w))].lines())}
	if more := len(w) - shown; more > 0 {
		d.Add(prose.Paragraph(fmt.Sprintf("%d more: %s", more, command)))
	}
	return d
}

// Weaknesses returns all warnings of the answer and its runs, those that may shift it most
// first. Shows holds the compared records.
func (c *Report) Weaknesses(shows []*show.Numbers) Weaknesses {
	return c.ranked(c.OfTheAnswer(), shows)
}

// AllWeaknesses returns the Weaknesses, and the warnings of verdicts that are not decided, for
// output without footnotes.
func (c *Report) AllWeaknesses(shows []*show.Numbers) Weaknesses {
	return c.ranked(c.ofVerdicts(func(v record.Verdict) bool { return c.Decides(v.Metric) }), shows)
}

// ranked returns the warnings of verdicts, and those that no verdict has, the worst first.
func (c *Report) ranked(all []Warning, shows []*show.Numbers) Weaknesses {
	all = append(all, c.AllWarnings(shows)...)
	place := func(w Warning) int {
		if w.Rule == RuleOneLoad && c.FarFromNothing() {
			return len(weights) // the variation between loads is far smaller than the effect
		}
		return weight(w.Rule)
	}
	slices.SortStableFunc(all, func(a, b Warning) int { return cmp.Compare(place(a), place(b)) })
	var weak Weaknesses
	if lost, found := lostNote(shows); found {
		weak = append(weak, lost)
	}
	for _, w := range all {
		one := weakness{text: w.Text, hint: w.Hint}
		if !slices.Contains(w.Of, "") {
			one.of = strings.Join(w.Of, " and ")
		}
		weak = append(weak, one)
	}
	return weak
}

// lostNote reports the blocks that are not counted. Incomplete blocks, and those driven again,
// are not lost.
func lostNote(shows []*show.Numbers) (weakness, bool) {
	blocks, runs, bad := 0, 0, 0
	for _, s := range shows {
		runs += s.Method.Runs
		bad += len(s.NotValid)
		for _, note := range s.LeftOut {
			if note.Rule == record.RuleBlockInvalid {
				blocks++
			}
		}
	}
	if blocks == 0 {
		return weakness{}, false
	}
	return weakness{text: fmt.Sprintf("%s left out in every environment (%d of %s not valid): not included in any number",
		phrase.Plural(blocks, "block"), bad, phrase.Plural(runs, "run"))}, true
}

// weights lists the rules of warnings, those that may shift an answer most first: undeclared
// differences between the stacks, an answer chosen after the fact, too few units or runs too
// short to be representative, and a machine that was not quiet. Rules not listed come last.
var weights = []string{
	"import-contradiction", "imported",
	"no-number", "pod", "experiment-unread", "columns-unread", "no-verdict", "blocks-lost", "experiment-edited", "not-declared", "stopped-early", "form", "load-misses-volume", "unpaired",
	"parity-engine", "parity-version", "parity-persistence", "parity-memory", "parity-settings", "parity-transport", "parity-network-storage", "parity-machine", "parity-dataset", "parity-tablespaces", "parity-round-trip", "telemetry-differs",
	"settings-not-in-force", "tuning-not-in-force", "tuning-not-verified", "huge-pages-too-few", "best-effort", "settings-unknown", "eviction", "smaller-dataset", "unbalanced", "load-apart",
	"unsafe", "volume-retained", "caches-kept", "unlike-paths", "rates-scaled", "said-exceeded", "said-too-fast", "said-unused", "said-other-disk", "instance-limits", "burstable", "network-storage", "cloud-volume", "memory-shared", "one-kernel", "asleep", "pressure-short", "event-outlasted",
	"checkpoint-one-side", "autovacuum-one-side", "rewrite-one-side", "save-one-side", RuleOneLoad, "one-unit", "short", "no-checkpoint",
	"buffers-free", "no-checkpoint-in-load", "no-rewrite-in-load", "keys-evicted", "reads-missed", "server-refused",
	"few-units", "autocorrelation", "heavy-tails", "ties", "unequal-spread",
	"machine-noise", "machine-touched", "thermal", "steal", "quota", "swapping", "memory-pressure",
	"generator-saturated", "generator-busy", "generator-held-back", "gap-understates", "generator-stalled", "generator-late", "generator-early", "generator-ended", "generator-empty", "generator-seconds", "generator-log", "generators-apart", "clock-step",
	"network-round-trip", "network-retransmits", "generator-clock", "clock-drift", "generator-versions", "generator-statements", "rate-missed", "trend", "warmup-of-transactions",
	"others-cpu", "others-io", "emulator-competes", "emulation-tail", "autovacuum", "autovacuum-neighbour", "checkpoint-neighbour",
	"rewrite-neighbour", "save-neighbour", "dataset-in-buffers",
	"interleave-repeat", "interleave-block", "evidence-missing", "window-not-covered", "no-percentiles", "latencies-missing", "log-clock", "scale-below-clients", "unknown-version",
	"import-cut", "import-unclear", "import-left-out", "no-relations",
}

// weight returns the rank of a rule in weights.
func weight(rule string) int {
	if at := slices.Index(weights, rule); at >= 0 {
		return at
	}
	return len(weights)
}
