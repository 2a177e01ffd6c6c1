// Package layouts words a layout: the storage of a database that does not exist yet.
package layouts

import (
	"io"

	"plinth/internal/layout"
	"plinth/internal/prose"
	"plinth/internal/report/output"
)

// Schema is the schema of the JSON that `plinth layout` prints.
const Schema = "plinth/layout/v1"

// Report is the content of the report.
type Report struct {
	Schema string `json:"schema"`
	*layout.Layout
	// PriceNote says where prices are from.
	PriceNote string `json:"price_note,omitempty"`

	why bool
}

// New returns the content for a layout. With why, the text has the rules.
func New(l *layout.Layout, priceNote string, why bool) Report {
	return Report{Schema: Schema, Layout: l, PriceNote: priceNote, why: why}
}

// Formats are the formats of Write.
var Formats = output.Forms{
	Document: func() (prose.Document, error) { return nil, nil }, Value: func() (any, error) { return nil, nil },
}.Formats()

// Write writes it as text of a width, as Markdown or as JSON.
func Write(w io.Writer, r Report, format string, width int) error {
	return output.Write(w, format, width, output.Forms{
		Of:       "of a layout",
		Document: func() (prose.Document, error) { return r.document(), nil },
		Value:    func() (any, error) { return r, nil },
	})
}
