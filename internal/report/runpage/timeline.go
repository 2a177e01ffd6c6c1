package runpage

import (
	"fmt"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// timeline draws a run as rows of bars, with its marks below.
type timeline struct {
	seconds []float64
	rows    []series
	marks   []record.Mark
}

// Text draws one column per second, or per several seconds if they do not fit.
func (t timeline) Text(width int) string {
	return t.draw(width) + "\n" + prose.Paragraph(t.explanation(t.secondsPerColumn(width))).Text(width) + prose.List(t.legend()).Text(width)
}

// Markdown returns a code block 80 characters wide, followed by its explanation.
func (t timeline) Markdown() string {
	const wide = 80
	var b strings.Builder
	for line := range strings.Lines(t.draw(wide)) {
		b.WriteString("    " + line)
	}
	b.WriteString("\n" + prose.Paragraph(t.explanation(t.secondsPerColumn(wide))).Markdown() + "\n" + prose.List(t.legend()).Markdown())
	return b.String()
}

// HTML returns nothing: the HTML page has charts of all columns, with their marks.
func (t timeline) HTML() string { return "" }

// draw draws the axis, a line for each row, and one for the marks.
func (t timeline) draw(width int) string {
	of, names := t.secondsPerColumn(width), t.nameWidth()
	var b strings.Builder
	line := func(name, drawn, after string) {
		text := name + strings.Repeat(" ", names-prose.Length(name)) + " " + drawn
		b.WriteString(strings.TrimRight(text+" "+after, " ") + "\n")
	}
	line("second", t.axis(of), "")
	for _, r := range t.rows {
		line(r.label, sparkline(fold(r.values, of, r.least)), r.span())
	}
	if letters := t.letters(of); strings.TrimSpace(letters) != "" {
		line("marks", letters, "")
	}
	return b.String()
}

// span returns the lowest and the highest second, before any folding.
func (s series) span() string {
	low, high := extremes(s.values)
	return phrase.Short(max(low/s.scale, 0)) + "-" + phrase.Short(max(high/s.scale, 0))
}

func (t timeline) nameWidth() int {
	widest := len("second")
	for _, r := range t.rows {
		widest = max(widest, prose.Length(r.label))
	}
	return widest
}

// secondsPerColumn returns how many seconds share a column so that the names and the spans fit,
// too.
func (t timeline) secondsPerColumn(width int) int {
	spans := 0
	for _, r := range t.rows {
		spans = max(spans, prose.Length(r.span()))
	}
	room := max(width-t.nameWidth()-spans-2, 8)
	return max(1, (len(t.seconds)+room-1)/room)
}

// axis labels every tenth column with its second.
func (t timeline) axis(of int) string {
	const every = 10
	var b strings.Builder
	for i := 0; i < len(t.seconds); i += every * of {
		fmt.Fprintf(&b, "%-*s", every, phrase.Exact(t.seconds[i]))
	}
	return strings.TrimRight(b.String(), " ")
}

func (t timeline) explanation(of int) string {
	parts := []string{"Bars start at zero; the lowest and the highest second are at the right."}
	if of > 1 {
		parts = append(parts, fmt.Sprintf("A column is %d seconds: their lowest TPS, and the highest value of all other figures, so that no stall is hidden.", of))
	}
	if t.gaps() {
		parts = append(parts, string(unseen)+" means not known.")
	}
	return strings.Join(parts, " ")
}

func (t timeline) gaps() bool {
	for _, r := range t.rows {
		for _, v := range r.values {
			if !phrase.Known(v) {
				return true
			}
		}
	}
	return false
}
