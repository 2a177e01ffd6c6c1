package report

import (
	"strings"

	"plinth/internal/prose"
)

// picture is a figure: there in HTML, and nowhere else.
type picture struct {
	name    string // "verdicts": what `plinth report --figure` calls it
	caption string
	svgs    []string
	whole   func() string // all panels in one picture, for a file of its own
	when    string        // "threads=4 metric=tps": shown when this is chosen; "" always
	shown   bool          // before anything is chosen
}

// Text is nothing: a terminal has the tables.
func (p picture) Text(int) string { return "" }

// Markdown is nothing: a pull request has the tables.
func (p picture) Markdown() string { return "" }

// HTML is a figure with its caption.
func (p picture) HTML() string {
	var b strings.Builder
	b.WriteString(`<figure class="figure" data-figure="` + prose.EscapeHTML(p.name) + `"` + condition(p.when, p.shown) + `><div class="panels">`)
	for _, svg := range p.svgs {
		b.WriteString(`<div class="panel scroll">` + svg + "</div>")
	}
	b.WriteString("</div>\n")
	if p.caption != "" {
		b.WriteString("<figcaption>" + prose.EscapeHTML(p.caption) + "</figcaption>")
	}
	return b.String() + "</figure>\n"
}

// condition is what an element depends on, and whether that holds at first.
func condition(when string, shown bool) string {
	if when == "" {
		return ""
	}
	text := ` data-when="` + prose.EscapeHTML(when) + `"`
	if !shown {
		text += ` hidden=""`
	}
	return text
}

// choice lets a reader choose which of several forms is shown.
type choice struct {
	name, label string // "threads", "Threads"
	values      []string
	titles      []string
	chosen      string
}

// choices are lists beside each other.
type choices []choice

func (c choices) Text(int) string  { return "" }
func (c choices) Markdown() string { return "" }

// HTML is lists to choose from; one value is no choice.
func (c choices) HTML() string {
	var b strings.Builder
	for _, one := range c {
		if len(one.values) > 1 {
			b.WriteString(one.html())
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return `<div class="choices">` + b.String() + "</div>\n"
}

func (c choice) html() string {
	var b strings.Builder
	b.WriteString("<label>" + prose.EscapeHTML(c.label) + ` <select data-choice="` + prose.EscapeHTML(c.name) + `">`)
	for i, value := range c.values {
		selected := ""
		if value == c.chosen {
			selected = ` selected=""`
		}
		b.WriteString(`<option value="` + prose.EscapeHTML(value) + `"` + selected + ">" + prose.EscapeHTML(c.titles[i]) + "</option>")
	}
	return b.String() + "</select></label> "
}

// chosen is blocks that are shown when something is chosen. Elsewhere than in HTML
// only what is shown at first is there.
type chosen struct {
	when  string
	shown bool
	body  prose.Document
}

func (c chosen) Text(width int) string {
	if !c.shown {
		return ""
	}
	return c.body.Text(width)
}

// Markdown is there where it is shown at first.
func (c chosen) Markdown() string {
	if !c.shown {
		return ""
	}
	return c.body.Markdown()
}

func (c chosen) HTML() string {
	return "<div" + condition(c.when, c.shown) + ">" + c.body.HTML() + "</div>\n"
}

// folded is what is there for those who ask: closed at first in HTML.
type folded struct {
	title string
	body  prose.Document
}

func (f folded) Text(width int) string {
	return prose.Heading(f.title).Text(width) + "\n" + f.body.Text(width)
}

// Markdown is an element that GitHub folds, too.
func (f folded) Markdown() string {
	return "<details><summary>" + prose.EscapeHTML(f.title) + "</summary>\n\n" + f.body.Markdown() + "\n</details>\n"
}

func (f folded) HTML() string {
	return "<details><summary>" + prose.EscapeHTML(f.title) + "</summary>\n" + f.body.HTML() + "</details>\n"
}

// code is text with lines of its own: an experiment file.
type code string

func (c code) Text(int) string { return string(c) }

// Markdown is a block by indentation: no text can end it, as a fence could.
func (c code) Markdown() string {
	var b strings.Builder
	for line := range strings.Lines(string(c)) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

func (c code) HTML() string { return prose.CodeHTML(string(c)) }

// columns are two blocks beside each other where there is room.
type columns [2]prose.Block

func (c columns) Text(width int) string { return prose.Document{c[0], c[1]}.Text(width) }

// Markdown has them below each other.
func (c columns) Markdown() string { return prose.Document{c[0], c[1]}.Markdown() }

func (c columns) HTML() string {
	return "<div class=\"beside\"><div>\n" + c[0].HTML() + "</div>\n" + c[1].HTML() + "</div>\n"
}
