package tuning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/tune"
)

// changeList shows changes as advice: the old and the new value, and below them the reason, the
// requirements and the risk.
type changeList struct {
	changes []tune.Change
	sources []string // the number of each change's source: "[1]"
}

// newChangeList numbers the sources of changes.
func newChangeList(changes []tune.Change, sources *sourceList) changeList {
	l := changeList{changes: changes}
	for _, c := range changes {
		l.sources = append(l.sources, sources.mark(c.Source))
	}
	return l
}

// changeIndent is the indentation, in characters, of the lines below a change.
const changeIndent = 4

func (l changeList) Text(width int) string {
	parts := make([]string, len(l.changes))
	for i, c := range l.changes {
		text := prose.Hanging(c.Key.String()+"  ", nowThen(c), width)
		if len(prose.Wrap(nowThen(c), width-prose.Length(c.Key.String())-2)) > 1 { // it does not fit beside a long name
			text = prose.Clean(c.Key.String()) + "\n" + prose.Hanging(strings.Repeat(" ", changeIndent), nowThen(c), width)
		}
		for _, line := range l.lines(i) {
			text += prose.Hanging(fmt.Sprintf("%*s%-7s", changeIndent, "", line.Name+":"), line.Text, width)
		}
		parts[i] = text
	}
	return strings.Join(parts, "\n")
}

func (l changeList) Markdown() string {
	var b strings.Builder
	for i, c := range l.changes {
		fmt.Fprintf(&b, "- **%s**: %s\n", prose.EscapeMarkdown(c.Key.String()), prose.EscapeMarkdown(nowThen(c)))
		for _, line := range l.lines(i) {
			fmt.Fprintf(&b, "  - %s: %s\n", line.Name, prose.EscapeMarkdown(line.Text))
		}
	}
	return b.String()
}

func (l changeList) HTML() string {
	var d prose.Document
	for i, c := range l.changes {
		lines := prose.List{c.Key.String() + ": " + nowThen(c)}
		for _, line := range l.lines(i) {
			lines = append(lines, line.Name+": "+line.Text)
		}
		d.Add(lines)
	}
	return d.HTML()
}

// lines returns the lines below a change.
func (l changeList) lines(i int) []prose.Fact {
	var lines []prose.Fact
	c := l.changes[i]
	why := prose.Fact{Name: "why", Text: c.Reason}
	if k := c.Knob(); c.Reason == "" && k.Doc != "" { // a user-supplied value
		why = prose.Fact{Name: "what", Text: k.Doc}
	}
	if why.Text == "" {
		why.Name = "from"
	}
	if why.Text = phrase.Join(" ", why.Text, l.sources[i]); why.Text != "" {
		lines = append(lines, why)
	}
	needs := needsTexts[c.Needs]
	if c.Layer == knob.Hypervisor && c.Needs == knob.Reboot {
		needs = "a restart of the domain"
	}
	if needs != "" {
		lines = append(lines, prose.Fact{Name: "needs", Text: needs})
	}
	if c.Risk != "" {
		lines = append(lines, prose.Fact{Name: "risk", Text: c.Risk})
	}
	return lines
}

// nowThen formats the old and the new value: "0 → 134217728 bytes (128 MiB)".
func nowThen(c tune.Change) string {
	text := valueText(c)
	switch {
	case unnamed(c): // its current value is unknown
	case c.Now == "":
		text = "not set → " + text
	default:
		text = c.Now + " → " + text
	}
	if c.Target != "" && c.Target != c.Key.On && c.Key.On != "" {
		text += " (" + c.Target + ")"
	}
	return text
}

var needsTexts = map[knob.Needs]string{
	knob.Restart: "a restart of the server", knob.Reboot: "a reboot", knob.FreshMount: "a fresh mount: umount, then mount",
	knob.OpenHeld: "a file held open: it takes effect only while a command runs", knob.NewAllocated: "new memory: existing allocations do not change",
	knob.Remount: "a remount",
}

// unitBytes maps units of knobs to bytes.
var unitBytes = map[string]int64{"bytes": 1, "B": 1, "kB": 1 << 10, "KiB": 1 << 10}

// valueText formats a value with the unit of its knob, and from 1 MiB on also in larger units.
func valueText(c tune.Change) string {
	if c.Then == "" {
		return `""`
	}
	k := c.Knob()
	if k.Unit == "" || k.Kind != knob.Integer && k.Kind != knob.Number {
		return c.Then
	}
	text := c.Then + " " + k.Unit
	n, err := strconv.ParseInt(c.Then, 10, 64)
	if size := unitBytes[k.Unit]; err == nil && size > 0 && n > 0 && n < 1<<50 && n*size >= 1<<20 {
		text += " (" + phrase.Bytes(n*size) + ")"
	}
	return text
}

// sourceList numbers the sources of a plan, each once, for citation.
type sourceList struct{ all []string }

func (s *sourceList) mark(source knob.Source) string {
	text := source.String()
	if source.URL != "" {
		text = phrase.Join(": ", text, source.URL)
	}
	if text == "" {
		return ""
	}
	at := slices.Index(s.all, text)
	if at < 0 {
		at = len(s.all)
		s.all = append(s.all, text)
	}
	return fmt.Sprintf("[%d]", at+1)
}

// add adds the numbered sources to a document.
func (s *sourceList) add(d *prose.Document) {
	var lines prose.List
	for i, text := range s.all {
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, text))
	}
	if lines != nil {
		d.Add(prose.Heading("Sources"), lines)
	}
}
