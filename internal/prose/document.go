// Package prose holds the content of reports as data: headings, paragraphs, lists and
// tables, which render as text for a terminal, Markdown and HTML.
package prose

import "strings"

// Document is a sequence of blocks.
type Document []Block

// Block is a heading, a paragraph, a list, a table or the like.
type Block interface {
	// Text renders the block for a terminal of the given width in columns.
	Text(width int) string
	// Markdown renders the block in GitHub's dialect.
	Markdown() string
	// HTML renders the block as an element, with all text escaped.
	HTML() string
}

// Heading is a heading of the following blocks.
type Heading string

// Paragraph is text that is wrapped to the width.
type Paragraph string

// List is a list of items, each preceded by a hyphen.
type List []string

// Command is a command line to type, on a separate line.
type Command string

func (h Heading) Text(width int) string {
	lines, longest := Wrap(Clean(string(h)), width), 0
	for _, line := range lines {
		longest = max(longest, Length(line))
	}
	return strings.Join(lines, "\n") + "\n" + strings.Repeat("=", min(longest, width)) + "\n"
}

func (h Heading) Markdown() string { return "## " + EscapeMarkdown(string(h)) + "\n" }

func (p Paragraph) Text(width int) string {
	return strings.Join(Wrap(Clean(string(p)), width), "\n") + "\n"
}

func (p Paragraph) Markdown() string { return EscapeMarkdown(string(p)) + "\n" }

func (l List) Text(width int) string {
	var b strings.Builder
	for _, item := range l {
		lines := Wrap(Clean(item), width-2)
		b.WriteString("- " + strings.Join(lines, "\n  ") + "\n")
	}
	return b.String()
}

func (l List) Markdown() string {
	var b strings.Builder
	for _, item := range l {
		b.WriteString("- " + EscapeMarkdown(item) + "\n")
	}
	return b.String()
}

func (c Command) Text(int) string { return "    " + Clean(string(c)) + "\n" }

// Markdown returns an indented code block: unlike a fenced one, no text can end it.
func (c Command) Markdown() string { return "    " + Clean(string(c)) + "\n" }

func (d Document) Text(width int) string {
	return d.join(func(b Block) string { return b.Text(width) })
}

func (d Document) Markdown() string { return d.join(Block.Markdown) }

func (d Document) join(render func(Block) string) string {
	var parts []string
	for _, b := range d {
		if part := render(b); part != "" { // a picture is empty in text
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n")
}

// Add appends blocks; empty paragraphs and lists are left out.
func (d *Document) Add(blocks ...Block) {
	for _, b := range blocks {
		if p, ok := b.(Paragraph); ok && p == "" {
			continue
		}
		if l, ok := b.(List); ok && len(l) == 0 {
			continue
		}
		*d = append(*d, b)
	}
}
