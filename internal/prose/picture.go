package prose

import (
	"slices"
	"strings"
)

// Picture is a figure. It appears in HTML only.
type Picture struct {
	Name    string // "verdicts": its name for `plinth report --figure`
	Caption string
	SVGs    []string
	Narrow  []string      // the same for narrow windows; nil if SVGs fit any
	Whole   func() string // all panels in one picture, for a separate file
	When    string        // "threads=4 metric=tps": shown when this is chosen; "" always
	Shown   bool          // before anything is chosen
}

// Text returns "": a terminal has the tables.
func (p Picture) Text(int) string { return "" }

// Markdown returns "": a pull request has the tables.
func (p Picture) Markdown() string { return "" }

// HTML returns a figure with its caption.
func (p Picture) HTML() string {
	var b strings.Builder
	b.WriteString(`<figure class="figure" data-figure="` + EscapeHTML(p.Name) + `"` + condition(p.When, p.Shown) + `><div class="panels">`)
	wide := ""
	if p.Narrow != nil {
		wide = " wide"
	}
	for _, svg := range p.SVGs {
		b.WriteString(`<div class="panel scroll` + wide + `">` + svg + "</div>")
	}
	for _, svg := range p.Narrow {
		b.WriteString(`<div class="panel scroll narrow">` + svg + "</div>")
	}
	b.WriteString("</div>\n")
	if p.Caption != "" {
		b.WriteString("<figcaption>" + EscapeHTML(p.Caption) + "</figcaption>")
	}
	return b.String() + "</figure>\n"
}

// condition returns the attributes for the choice that an element depends on, and for its
// initial visibility.
func condition(when string, shown bool) string {
	if when == "" {
		return ""
	}
	text := ` data-when="` + EscapeHTML(when) + `"`
	if !shown {
		text += ` hidden=""`
	}
	return text
}

// Choice lets a reader choose which of several forms is shown.
type Choice struct {
	Name, Label string // "threads", "Threads"
	Values      []string
	Titles      []string
	Chosen      string
}

// Choices is a row of selection lists.
type Choices []Choice

func (c Choices) Text(int) string  { return "" }
func (c Choices) Markdown() string { return "" }

// HTML returns selection lists; a list with one value is left out.
func (c Choices) HTML() string {
	var b strings.Builder
	for _, one := range c {
		if len(one.Values) > 1 {
			b.WriteString(one.html())
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return `<div class="choices">` + b.String() + "</div>\n"
}

func (c Choice) html() string {
	var b strings.Builder
	b.WriteString("<label>" + EscapeHTML(c.Label) + ` <select data-choice="` + EscapeHTML(c.Name) + `">`)
	for i, value := range c.Values {
		selected := ""
		if value == c.Chosen {
			selected = ` selected=""`
		}
		b.WriteString(`<option value="` + EscapeHTML(value) + `"` + selected + ">" + EscapeHTML(c.Titles[i]) + "</option>")
	}
	return b.String() + "</select></label> "
}

// Chosen holds blocks that are shown when a value is chosen. Outside HTML only the blocks
// that are shown initially appear.
type Chosen struct {
	When  string
	Shown bool
	Body  Document
}

func (c Chosen) Text(width int) string {
	if !c.Shown {
		return ""
	}
	return c.Body.Text(width)
}

// Markdown returns the blocks if they are shown initially.
func (c Chosen) Markdown() string {
	if !c.Shown {
		return ""
	}
	return c.Body.Markdown()
}

func (c Chosen) HTML() string {
	return "<div" + condition(c.When, c.Shown) + ">" + c.Body.HTML() + "</div>\n"
}

// Folded holds optional details, which are initially collapsed in HTML.
type Folded struct {
	Title string
	Body  Document
}

func (f Folded) Text(width int) string {
	return Heading(f.Title).Text(width) + "\n" + f.Body.Text(width)
}

// Markdown returns an element that GitHub also collapses.
func (f Folded) Markdown() string {
	return "<details><summary>" + EscapeHTML(f.Title) + "</summary>\n\n" + f.Body.Markdown() + "\n</details>\n"
}

func (f Folded) HTML() string {
	return "<details><summary>" + EscapeHTML(f.Title) + "</summary>\n" + f.Body.HTML() + "</details>\n"
}

// Code is preformatted text, such as an experiment file.
type Code string

func (c Code) Text(int) string { return string(c) }

// Markdown returns an indented code block: unlike a fenced one, no text can end it.
func (c Code) Markdown() string {
	var b strings.Builder
	for line := range strings.Lines(string(c)) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

func (c Code) HTML() string { return CodeHTML(string(c)) }

// Columns holds two blocks that are side by side if there is space.
type Columns [2]Block

func (c Columns) Text(width int) string { return Document{c[0], c[1]}.Text(width) }

// Markdown returns one block after the other.
func (c Columns) Markdown() string { return Document{c[0], c[1]}.Markdown() }

func (c Columns) HTML() string {
	return "<div class=\"beside\"><div>\n" + c[0].HTML() + "</div>\n" + c[1].HTML() + "</div>\n"
}

// ChosenBy reports whether the picture is shown with these choices.
func (p Picture) ChosenBy(choices, defaults []string) bool {
	for _, condition := range strings.Fields(p.When) {
		key, _, _ := strings.Cut(condition, "=")
		said := func(choice string) bool { return strings.HasPrefix(choice, key+"=") }
		of := choices
		if !slices.ContainsFunc(choices, said) {
			of = defaults
		}
		// The name of a figure implies its choice: "p99" shows p99.
		if key != "shows" && !slices.Contains(of, condition) {
			return false
		}
	}
	for _, choice := range choices {
		if !slices.Contains(strings.Fields(p.When), choice) {
			return false
		}
	}
	return true
}
