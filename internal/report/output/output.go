// Package output writes a report in the requested format.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/prose"
)

// DefaultWidth is the default width of text, in characters.
const DefaultWidth = 80

// Forms returns a report in the forms that it supports; the others are nil. Only the requested
// one is called, and its error is returned unchanged.
type Forms struct {
	Document func() (prose.Document, error) // text and markdown
	Table    func() (prose.Table, error)    // csv
	Value    func() (any, error)            // json
	Gobench  func() (string, error)         // the benchmark format of Go
	SVG      func() (string, error)         // a picture

	Of string // the report in errors about an unknown format: "of a run"; may be empty
}

// Formats returns the names of the supported formats, as for --format.
func (f Forms) Formats() []string {
	var names []string
	for _, one := range []struct {
		name  string
		there bool
	}{
		{"text", f.Document != nil}, {"markdown", f.Document != nil},
		{"csv", f.Table != nil}, {"json", f.Value != nil}, {"gobench", f.Gobench != nil}, {"svg", f.SVG != nil},
	} {
		if one.there {
			names = append(names, one.name)
		}
	}
	return names
}

// Write writes one of the forms. Text has the given width in characters, or DefaultWidth if
// that is not positive.
func Write(w io.Writer, format string, width int, f Forms) error {
	if err := check(format, f.Formats(), f.Of); err != nil {
		return err
	}
	if width <= 0 {
		width = DefaultWidth
	}
	text, err := f.render(format, width)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

func (f Forms) render(format string, width int) (text string, err error) {
	switch format {
	case "csv":
		var table prose.Table
		if table, err = f.Table(); err != nil {
			return "", err
		}
		text, err = table.CSV()
	case "json":
		var value any
		if value, err = f.Value(); err != nil {
			return "", err
		}
		var data []byte
		data, err = json.MarshalIndent(value, "", "  ")
		text = string(data) + "\n"
	case "gobench":
		return f.Gobench()
	case "svg":
		return f.SVG()
	default:
		document, err := f.Document()
		if err != nil || format == "text" {
			return document.Text(width), err
		}
		return document.Markdown(), nil
	}
	if err != nil {
		return "", fmt.Errorf("cannot write %s: %w", format, err)
	}
	return text, nil
}

// Check returns an error if a format is not among formats, before any other work is done.
func Check(format string, formats []string) error { return check(format, formats, "") }

func check(format string, formats []string, of string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	if of != "" {
		of = " " + of
	}
	return hint.Errorf("use one of "+strings.Join(formats, ", "), "there is no format %q%s", format, of)
}
