package advising

import (
	"io"

	"plinth/internal/advice"
	"plinth/internal/prose"
	"plinth/internal/report/output"
)

// JSON is the advice of records as JSON.
type JSON struct {
	Schema string `json:"schema"`
	*advice.All
}

// Write writes the advice of records as text, Markdown or JSON; with why, only what concerns one rule or mistake.
func Write(w io.Writer, all *advice.All, why, format string, width int) error {
	return output.Write(w, format, width, output.Forms{
		Of: "of advice",
		Document: func() (prose.Document, error) {
			if why == "" {
				return Documents(all), nil
			}
			var d prose.Document
			for _, t := range all.Together {
				d = append(d, whyTogether(t, why)...)
			}
			for _, a := range all.Records {
				d = append(d, Why(a, why)...)
			}
			return d, nil
		},
		Value: func() (any, error) { return JSON{advice.Schema, all}, nil },
	})
}
