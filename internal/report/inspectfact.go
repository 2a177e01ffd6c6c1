package report

import (
	"fmt"
	"strings"

	"plinth/internal/inspect"
	"plinth/internal/prose"
)

// fact is a name and what there is to say about it.
type fact struct{ name, text string }

// factSheet is facts below each other; a name that is empty goes on with the one
// above.
type factSheet []fact

func (s factSheet) Text(width int) string {
	column := 0
	for _, f := range s {
		column = max(column, prose.Length(prose.Clean(f.name))+prose.Gap)
	}
	var b strings.Builder
	for _, f := range s {
		name := prose.Clean(f.name)
		b.WriteString(prose.Hanging(name+strings.Repeat(" ", column-prose.Length(name)), f.text, width))
	}
	return b.String()
}

func (s factSheet) Markdown() string { return s.table().Markdown() }

func (s factSheet) HTML() string { return s.table().HTML() }

func (s factSheet) table() prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "what"}, {Title: "is"}}}
	for _, f := range s {
		t.Rows = append(t.Rows, []string{f.name, f.text})
	}
	return t
}

// joined joins what is not empty.
func joined(separator string, parts ...string) string {
	var there []string
	for _, p := range parts {
		if p != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, separator)
}

// when is text where it holds, and nothing elsewhere.
func when(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// settingsLine is the values of some settings: "fsync on, wal_level replica".
func settingsLine(i inspect.Inspection, names ...string) string {
	var parts []string
	for _, name := range names {
		if s, known := i.Server.Setting(name); known {
			parts = append(parts, name+" "+s.Value)
		}
	}
	return strings.Join(parts, ", ")
}
