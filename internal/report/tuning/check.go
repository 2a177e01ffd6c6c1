package tuning

import (
	"io"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/tune"
)

// CheckSchema is the schema of checks as JSON.
const CheckSchema = "plinth/tune-verify/v1"

// WriteChecks writes the values in force beside the wanted ones.
func WriteChecks(w io.Writer, checks []tune.Check, o Options) error {
	failed := 0
	t := prose.Table{Columns: []prose.Column{{Title: "knob"}, {Title: "wanted"}, {Title: "in force"}, {Title: ""}, {Title: "evidence"}}}
	for _, c := range checks {
		word := "ok"
		if !c.OK {
			word = "NOT"
			failed++
		}
		t.Rows = append(t.Rows, []string{c.Key.String(), c.Want, c.Have, word, c.Evidence})
	}
	title := phrase.Plural(len(checks), "value") + " in force"
	if failed > 0 {
		title = phrase.Plural(failed, "value") + " of " + phrase.Count(float64(len(checks))) + " not in force"
	}
	var d prose.Document
	d.Add(prose.Heading(title))
	if t.Rows != nil {
		d.Add(prose.WordTable(t))
	}
	if checks == nil {
		checks = []tune.Check{}
	}
	return o.write(w, d, struct {
		Schema string       `json:"schema"`
		Checks []tune.Check `json:"checks"`
	}{CheckSchema, checks})
}
