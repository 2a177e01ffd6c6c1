package prose

import (
	"strings"
	"unicode"
)

// HTML returns the table with a copy button. A table wider than the screen scrolls
// separately.
func (t Table) HTML() string {
	var b strings.Builder
	b.WriteString(`<div class="table"><div class="tools">` +
		`<button type="button" data-copy="markdown">Copy as Markdown</button>` +
		`<button type="button" data-copy="csv">Copy as CSV</button></div>` +
		`<div class="scroll" tabindex="0" role="region" aria-label="` + EscapeHTML(t.name()) + `"><table>` + "\n")
	if t.Title != "" {
		b.WriteString("<caption>" + EscapeHTML(t.Title) + "</caption>\n")
	}
	b.WriteString("<thead><tr>")
	for _, column := range t.Columns {
		b.WriteString(`<th scope="col"` + numeric(column.Right) + ">" + EscapeHTML(column.Title) + "</th>")
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		b.WriteString(t.rowHTML(row))
	}
	return b.String() + "</tbody></table></div></div>\n"
}

// name returns the name of the table for screen readers.
func (t Table) name() string {
	if t.Title != "" || len(t.Columns) == 0 {
		return t.Title
	}
	return "table by " + t.Columns[0].Title
}

func (t Table) rowHTML(row []string) string {
	var b strings.Builder
	b.WriteString("<tr>")
	for i, cell := range row {
		content := EscapeHTML(cell)
		if kind := t.Looks[i]; kind != "" {
			content = wordHTML(kind, cell)
		}
		if i == 0 && content != "" && !t.Columns[0].Right {
			b.WriteString(`<th scope="row">` + content + "</th>")
		} else {
			b.WriteString("<td" + numeric(t.Columns[i].Right) + ">" + content + "</td>")
		}
	}
	return b.String() + "</tr>\n"
}

func numeric(right bool) string {
	if right {
		return ` class="n"`
	}
	return ""
}

// wordHTML returns a word styled by its meaning, which the text also states.
func wordHTML(kind, text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first == "" || strings.ContainsFunc(first, func(r rune) bool { return !unicode.IsLower(r) || r > unicode.MaxASCII }) {
		return EscapeHTML(text) // a dash: there is no word
	}
	return `<span class="` + kind + " " + kind + "-" + first + `">` + EscapeHTML(text) + "</span>"
}

// HTML returns the whole table: a browser wraps the words.
func (o WordTable) HTML() string { return Table(o).HTML() }

// HTML returns the table with all of its columns.
func (f FactTable) HTML() string { return Table(f).HTML() }
