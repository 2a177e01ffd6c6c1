package breakdown

import (
	"io"
	"strconv"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/output"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Schema is the schema of the JSON that `plinth show --table` prints.
const Schema = "plinth/table/v1"

// JSON is a table as JSON.
type JSON struct {
	Schema string  `json:"schema"`
	Table  string  `json:"table"`
	Values []Value `json:"values"`
	Slopes []Slope `json:"slopes,omitempty"` // of the table of environments
}

// Names of the tables.
const (
	TableClients      = "clients"
	TableMetrics      = "metrics"
	TableEnvironments = "environments"
)

// Tables returns the names of all tables.
func Tables() []string { return []string{TableClients, TableMetrics, TableEnvironments} }

// Options selects a table.
type Options struct {
	Table string // one of Tables
	Sort  string // of TableEnvironments: METRIC or WORKLOAD/METRIC
	Width int    // of the terminal, in characters
}

// table is one of the tables.
type table interface {
	Document() prose.Document
	Values() []Value
}

// tableNamed returns the table of a name.
func tableNamed(s *show.Numbers, rec *record.Record, opts Options) (table, error) {
	switch opts.Table {
	case TableClients:
		return ByClients(s, rec)
	case TableMetrics:
		return ByMetric(s, rec)
	}
	return ByEnvironment(s, rec, opts.Sort)
}

// Write writes a table as text, Markdown, CSV or JSON. CSV and JSON have a row for each value, in
// the unit of its metric.
func Write(w io.Writer, s *show.Numbers, rec *record.Record, format string, opts Options) error {
	t, err := tableNamed(s, rec, opts)
	if err != nil {
		return err
	}
	return output.Write(w, format, opts.Width, output.Forms{
		Of: "of this table",
		Document: func() (prose.Document, error) {
			d := t.Document()
			if opts.Table == TableEnvironments {
				d = append(d, Facts(s, rec)...)
			}
			return d, nil
		},
		Table: func() (prose.Table, error) { return fields(t.Values()), nil },
		Value: func() (any, error) {
			return JSON{Schema, opts.Table, append([]Value{}, t.Values()...), slopesFor(s, rec, opts)}, nil
		},
	})
}

func slopesFor(s *show.Numbers, rec *record.Record, opts Options) []Slope {
	if opts.Table != TableEnvironments {
		return nil
	}
	return Slopes(s, rec)
}

// fields returns the values for CSV, with exact numbers.
func fields(values []Value) prose.Table {
	var t prose.Table
	for _, title := range []string{"workload", "clients", "rate", "metric", "environment", "value", "best", "effect", "difference", "low", "high", "level", "n"} {
		t.Columns = append(t.Columns, prose.Column{Title: title})
	}
	for _, v := range values {
		row := []string{prose.Clean(v.Workload), "", "", v.Metric, prose.Clean(v.Environment), phrase.Exact(v.Value), strconv.FormatBool(v.Best), "", "", "", "", "", ""}
		if v.Clients > 0 {
			row[1] = strconv.Itoa(v.Clients)
		}
		if v.Rate > 0 {
			row[2] = phrase.Exact(v.Rate)
		}
		if e := v.Effect; e != nil && compare.HasNumber(*e) {
			copy(row[7:], []string{phrase.Exact(e.Effect), strconv.FormatBool(e.Difference), phrase.Exact(e.Low), phrase.Exact(e.High), phrase.Exact(e.Level), strconv.Itoa(e.N)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Part returns the tables for the report of a record: metric by metric, at each load if there are
// several, and latency against numeric facts; nil with a single environment.
func Part(s *show.Numbers, rec *record.Record) prose.Document {
	metrics, err := ByMetric(s, rec)
	if err != nil {
		return nil
	}
	d := metrics.Document()
	if clients, err := ByClients(s, rec); err == nil && len(s.Environments[0].Rows) > 1 {
		d = append(d, clients.Document()...)
	}
	return append(d, Facts(s, rec)...)
}
