package prose

import (
	"html"
	"strings"
	"unicode"
)

// EscapeHTML is text fit for an element or an attribute in quotes: clean, and none
// of it markup. A per cent sign stays on the line of its number.
func EscapeHTML(text string) string {
	return strings.ReplaceAll(html.EscapeString(Clean(text)), " %", "&#160;%")
}

// HTML is a heading below that of its section.
func (h Heading) HTML() string { return "<h3>" + EscapeHTML(string(h)) + "</h3>\n" }

// HTML is a paragraph.
func (p Paragraph) HTML() string { return "<p>" + EscapeHTML(string(p)) + "</p>\n" }

// HTML is a list of notes; the kind of one is the word before its colon: "warning".
func (l List) HTML() string {
	var b strings.Builder
	b.WriteString(`<ul class="notes">` + "\n")
	for _, item := range l {
		b.WriteString(`<li class="note` + noteKind(item) + `">` + EscapeHTML(item) + "</li>\n")
	}
	return b.String() + "</ul>\n"
}

// noteKind is the class of an item that begins with what it is.
func noteKind(item string) string {
	for _, kind := range []string{"warning", "reason"} {
		if strings.HasPrefix(item, kind+": ") {
			return " note-" + kind
		}
	}
	return ""
}

// HTML is something to copy.
func (c Command) HTML() string { return CodeHTML(Clean(string(c))) }

// CodeHTML is text as it stands, with its lines, to copy. What may scroll must be
// reachable by keyboard.
func CodeHTML(text string) string {
	return `<div class="code"><div class="tools"><button type="button" data-copy="text">Copy</button></div>` +
		`<pre tabindex="0"><code>` + html.EscapeString(Printable(text)) + "</code></pre></div>\n"
}

// Printable leaves out what is no character to be seen, and what turns the
// direction of writing; lines stay.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, text)
}

// HTML is the blocks below each other.
func (d Document) HTML() string {
	var b strings.Builder
	for _, block := range d {
		b.WriteString(block.HTML())
	}
	return b.String()
}
