package report

import "strings"

// document is what a report says, as data: text and Markdown render the same one.
type document []block

// block is a heading, a paragraph, a list or a Table.
type block interface {
	text(width int) string
	markdown() string
}

type (
	heading   string
	paragraph string
	list      []string
	command   string // something to type, on a line of its own
)

func (h heading) text(width int) string {
	lines, longest := wrap(Clean(string(h)), width), 0
	for _, line := range lines {
		longest = max(longest, length(line))
	}
	return strings.Join(lines, "\n") + "\n" + strings.Repeat("=", min(longest, width)) + "\n"
}

func (h heading) markdown() string { return "## " + escape(string(h)) + "\n" }

func (p paragraph) text(width int) string {
	return strings.Join(wrap(Clean(string(p)), width), "\n") + "\n"
}

func (p paragraph) markdown() string { return escape(string(p)) + "\n" }

func (l list) text(width int) string {
	var b strings.Builder
	for _, item := range l {
		lines := wrap(Clean(item), width-2)
		b.WriteString("- " + strings.Join(lines, "\n  ") + "\n")
	}
	return b.String()
}

func (l list) markdown() string {
	var b strings.Builder
	for _, item := range l {
		b.WriteString("- " + escape(item) + "\n")
	}
	return b.String()
}

func (c command) text(int) string { return "    " + Clean(string(c)) + "\n" }

// markdown is a block of code by indentation: no text can end it, as a fence could.
func (c command) markdown() string { return "    " + Clean(string(c)) + "\n" }

func (d document) text(width int) string {
	return d.join(func(b block) string { return b.text(width) })
}

func (d document) markdown() string { return d.join(block.markdown) }

func (d document) join(render func(block) string) string {
	parts := make([]string, len(d))
	for i, b := range d {
		parts[i] = render(b)
	}
	return strings.Join(parts, "\n")
}

// add appends blocks; empty paragraphs and lists are left out.
func (d *document) add(blocks ...block) {
	for _, b := range blocks {
		if p, ok := b.(paragraph); ok && p == "" {
			continue
		}
		if l, ok := b.(list); ok && len(l) == 0 {
			continue
		}
		*d = append(*d, b)
	}
}
