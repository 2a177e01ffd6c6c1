// Package prose is what a report says, as data: headings, paragraphs, lists and
// tables. Text for a terminal, Markdown and HTML render the same one.
package prose

import "strings"

// Document is blocks below each other.
type Document []Block

// Block is a heading, a paragraph, a list, a table or the like.
type Block interface {
	// Text is for a terminal of so many columns.
	Text(width int) string
	// Markdown is as GitHub reads it.
	Markdown() string
	// HTML is an element of its own, with all text escaped.
	HTML() string
}

// Heading is a line above what follows.
type Heading string

// Paragraph is text without lines of its own.
type Paragraph string

// List is items, each with a hyphen before it.
type List []string

// Command is something to type, on a line of its own.
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

// Markdown is a block of code by indentation: no text can end it, as a fence could.
func (c Command) Markdown() string { return "    " + Clean(string(c)) + "\n" }

func (d Document) Text(width int) string {
	return d.join(func(b Block) string { return b.Text(width) })
}

func (d Document) Markdown() string { return d.join(Block.Markdown) }

func (d Document) join(render func(Block) string) string {
	var parts []string
	for _, b := range d {
		if part := render(b); part != "" { // a picture is nothing in text
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
