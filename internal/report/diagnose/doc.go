// Package diagnose writes the diagnosis of a run, and of a whole record, as text, Markdown and JSON.
package diagnose

import (
	"io"
	"path/filepath"
	"strings"

	"plinth/internal/diagnosis"
	"plinth/internal/diagnosis/share"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/finding"
	"plinth/internal/report/output"
)

// Formats are the formats of a diagnosis.
var Formats = []string{"text", "markdown", "json"}

// RunDiagnosis is the diagnosis of a run, as JSON.
type RunDiagnosis struct {
	Schema string        `json:"schema"`
	Record string        `json:"record"`
	Run    string        `json:"run"` // its path in the record
	Status record.Status `json:"status"`
	// Reasons are why the run is not valid.
	Reasons []record.Note `json:"reasons,omitempty"`
	diagnosis.Diagnosis
}

// Options controls how a diagnosis is written.
type Options struct {
	Width int  // of the terminal, in characters; 80 if 0
	All   bool // with the causes that are not there, and those that could not be examined
}

// WriteRun writes the diagnosis of a run.
func WriteRun(w io.Writer, rec *record.Record, run *record.Run, format string, options Options) error {
	d, err := diagnosis.OfRun(rec, run)
	if err != nil {
		return err
	}
	return output.Write(w, format, options.Width, output.Forms{
		Document: func() (prose.Document, error) { return documentOfRun(rec, run, d, options), nil },
		Value: func() (any, error) {
			return RunDiagnosis{Schema: diagnosis.Schema, Record: filepath.Base(rec.Path), Run: run.Path(), Status: run.Status, Reasons: run.Reasons, Diagnosis: d}, nil
		},
		Of: "of a diagnosis",
	})
}

// WriteRecord writes the diagnosis of a record; of one environment, if it is named.
func WriteRecord(w io.Writer, rec *record.Record, environment, format string, options Options) error {
	o, err := diagnosis.OfRecord(rec, environment)
	if err != nil {
		return err
	}
	return write(w, o, experiment.TermsOf(rec.Summary.Engine), format, options)
}

// WriteRecords writes how the runs of two records differ.
func WriteRecords(w io.Writer, a, b *record.Record, format string, options Options) error {
	o, err := diagnosis.OfRecords(a, b)
	if err != nil {
		return err
	}
	return write(w, o, experiment.TermsOf(a.Summary.Engine), format, options)
}

func write(w io.Writer, o diagnosis.Overview, words experiment.Terms, format string, options Options) error {
	return output.Write(w, format, options.Width, output.Forms{
		Document: func() (prose.Document, error) { return documentOfRecord(o, words), nil },
		Value:    func() (any, error) { return o, nil },
		Of:       "of a diagnosis",
	})
}

// bar is the number of characters of a share of the whole.
const bar = 24

// barOf draws a share.
func barOf(of float64) string {
	n := int(of*bar + 0.5)
	return strings.Repeat("█", max(0, min(bar, n)))
}

// partsOf returns the table of the parts of a division. Parts of less than half a percent are one line.
func partsOf(d share.Division, words experiment.Terms) prose.Table {
	t := prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Where the time goes"}, {Title: "a " + words.Unit, Right: true}, {Title: "share", Right: true}, {Title: ""}}}
	rest := share.Part{Title: "all others"}
	for _, p := range d.Parts {
		if p.Share < 0.005 && p.Share > -0.005 {
			rest.Share += p.Share
			rest.Time += p.Time
			continue
		}
		t.Rows = append(t.Rows, row(p))
	}
	if rest.Time != 0 {
		t.Rows = append(t.Rows, row(rest))
	}
	return t
}

func row(p share.Part) []string {
	return []string{p.Title, diagnosis.Duration(p.Time), finding.Percent(p.Share), barOf(p.Share)}
}
