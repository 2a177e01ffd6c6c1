package tuning

import (
	"io"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/tune"
)

// CheckSchema is the schema of checks as JSON.
const CheckSchema = "plinth/tune-verify/v1"

// Unchecked is a value of which it is not known whether it is in force.
type Unchecked struct {
	Key     knob.Key `json:"key"`
	Problem string   `json:"problem"`
}

// WriteChecks writes the values in force beside the wanted ones, and those that could not be
// checked.
func WriteChecks(w io.Writer, checks []tune.Check, unchecked []tune.Change, o Options) error {
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
	open, problems, keys := []Unchecked{}, []string(nil), map[string][]string{}
	for _, c := range unchecked {
		open = append(open, Unchecked{c.Key, c.Problem})
		if keys[c.Problem] == nil {
			problems = append(problems, c.Problem)
		}
		keys[c.Problem] = append(keys[c.Problem], c.Key.String())
	}
	for _, problem := range problems {
		d.Add(prose.Paragraph("Not checked: " + strings.Join(keys[problem], ", ") + " (" + problem + ")."))
	}
	return o.write(w, d, struct {
		Schema    string       `json:"schema"`
		Checks    []tune.Check `json:"checks"`
		Unchecked []Unchecked  `json:"unchecked"`
	}{CheckSchema, checks, open})
}
