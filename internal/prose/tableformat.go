package prose

import (
	"encoding/csv"
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
		titles[i] = column.Title
	}
	err := out.WriteAll(append([][]string{titles}, t.Rows...))
	return b.String(), err
}
