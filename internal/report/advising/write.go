package advising

import (
	"io"

	"plinth/internal/advice"
	"plinth/internal/prose"
	"plinth/internal/report/output"
)

// JSON is the advice of records as JSON.
type JSON struct {
	Schema  string           `json:"schema"`
	Records []*advice.Advice `json:"records"`
}

// Write writes the advice of records as text, Markdown or JSON; with why, only what concerns one rule or mistake.
func Write(w io.Writer, all []*advice.Advice, why, format string, width int) error {
	return output.Write(w, format, width, output.Forms{
		Of: "of advice",
		Document: func() (prose.Document, error) {
			if why == "" {
				return Documents(all), nil
			}
			var d prose.Document
			for _, a := range all {
				d = append(d, Why(a, why)...)
			}
			return d, nil
		},
		Value: func() (any, error) { return JSON{advice.Schema, all}, nil },
	})
}
