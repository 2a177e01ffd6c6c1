package prose

import (
	"encoding/csv"
	"regexp"
	"strings"
)

// Markdown renders the table in GitHub's dialect.
func (t Table) Markdown() string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("### " + EscapeMarkdown(t.Title) + "\n\n")
	}
	titles, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, column := range t.Columns {
		titles[i], rule[i] = column.Title, "---"
		if column.Right {
			rule[i] = "--:"
		}
	}
	markdownRow(&b, titles)
	b.WriteString("|" + strings.Join(rule, "|") + "|\n")
	for _, row := range t.Rows {
		markdownRow(&b, row)
	}
	return b.String()
}

func markdownRow(b *strings.Builder, cells []string) {
	for _, cell := range cells {
		b.WriteString("| " + EscapeMarkdown(cell) + " ")
	}
	b.WriteString("|\n")
}

// EscapeMarkdown escapes text so that it is not interpreted as Markdown or HTML.
func EscapeMarkdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`,
		"[", `\[`, "]", `\]`, "<", "&lt;", "&", "&amp;", "#", `\#`, "@", "&#64;").Replace(Clean(text))
}

// CSV renders the table with a line of titles (RFC 4180).
func (t Table) CSV() (string, error) {
	var b strings.Builder
	out := csv.NewWriter(&b)
	titles := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		titles[i] = csvCell(column.Title)
	}
	lines := [][]string{titles}
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, cell := range row {
			line[i] = csvCell(cell)
		}
		lines = append(lines, line)
	}
	err := out.WriteAll(lines)
	return b.String(), err
}

// number matches what no spreadsheet takes for a formula: a number, with a unit, or a dash.
var number = regexp.MustCompile(`^[-+]?(?:[\d.,]+(?:[eE][-+]?\d+)?(?: ?[%\pL/]+)?)?$`)

// csvCell returns text on one line that a spreadsheet does not evaluate: what would begin a formula
// gets an apostrophe in front (OWASP, CSV Injection).
func csvCell(text string) string {
	text = Clean(text)
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) && !number.MatchString(text) {
		return "'" + text
	}
	return text
}
