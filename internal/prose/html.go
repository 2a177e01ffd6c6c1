package prose

import (
	"html"
	"strings"
)

// EscapeHTML returns text cleaned and escaped for an element or a quoted attribute. A per
// cent sign stays on the line of its number.
func EscapeHTML(text string) string {
	return strings.ReplaceAll(html.EscapeString(Clean(text)), " %", "&#160;%")
}

// HTML returns a heading one level below that of its section.
func (h Heading) HTML() string { return "<h3>" + EscapeHTML(string(h)) + "</h3>\n" }

// HTML returns a paragraph.
func (p Paragraph) HTML() string { return "<p>" + EscapeHTML(string(p)) + "</p>\n" }

// HTML returns a list of notes. The kind of a note is the word before its colon: "warning".
func (l List) HTML() string {
	var b strings.Builder
	b.WriteString(`<ul class="notes">` + "\n")
	for _, item := range l {
		b.WriteString(`<li class="note` + noteKind(item) + `">` + EscapeHTML(item) + "</li>\n")
	}
	return b.String() + "</ul>\n"
}

// noteKind returns the class of an item that begins with its kind.
func noteKind(item string) string {
	for _, kind := range []string{"warning", "reason"} {
		if strings.HasPrefix(item, kind+": ") {
			return " note-" + kind
		}
	}
	return ""
}

// HTML returns the command with a copy button.
func (c Command) HTML() string { return CodeHTML(Clean(string(c))) }

// CodeHTML returns preformatted text with a copy button. It may scroll, so it is reachable
// by keyboard.
func CodeHTML(text string) string {
	return `<div class="code"><div class="tools"><button type="button" data-copy="text">Copy</button></div>` +
		`<pre tabindex="0"><code>` + html.EscapeString(Printable(text)) + "</code></pre></div>\n"
}

// Printable shows invisible characters and those that change the direction of writing as Clean does;
// it keeps line breaks.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return inert(r)
	}, text)
}

// HTML returns the blocks in sequence.
func (d Document) HTML() string {
	var b strings.Builder
	for _, block := range d {
		b.WriteString(block.HTML())
	}
	return b.String()
}
