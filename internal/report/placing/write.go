// Package placing words what is hot and what is cold in a database, and which storage each part of
// it should go to.
package placing

import (
	"io"
	"time"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/placement"
	"plinth/internal/prose"
	"plinth/internal/report/output"
)

// Schema is the schema of the JSON that `plinth place` prints.
const Schema = "plinth/placement/v1"

// Placing is the content of the report: a workload, and a plan if there were stores to choose from.
type Placing struct {
	Schema   string             `json:"schema"`
	Server   relation.Server    `json:"server"`
	Of       string             `json:"of,omitempty"` // the run that the statistics are of
	Database string             `json:"database"`
	From     time.Time          `json:"from"` // the time that the rates are averages of
	To       time.Time          `json:"to"`
	Workload placement.Workload `json:"workload"`
	Rules    []placement.Rule   `json:"rules"`          // of the temperatures
	Ages     []placement.Aged   `json:"ages,omitempty"` // by the columns that were asked for
	Plan     *placement.Plan    `json:"plan,omitempty"`
	// PriceNote says where prices are from.
	PriceNote string `json:"price_note,omitempty"`
}

// New returns the content for rates and a plan, which may be nil.
func New(r relation.Rates, w placement.Workload, plan *placement.Plan, priceNote string) Placing {
	return Placing{
		Schema: Schema, Of: r.Of, Server: r.Reading.Server, Database: r.Reading.Database.Name, From: r.From, To: r.To,
		Workload: w, Rules: placement.Rules, Plan: plan, PriceNote: priceNote,
	}
}

// Formats are the formats of Write.
var Formats = output.Forms{
	Document: func() (prose.Document, error) { return nil, nil }, Value: func() (any, error) { return nil, nil },
}.Formats()

// Write writes it as text of a width, as Markdown or as JSON.
func Write(w io.Writer, p Placing, format string, width int) error {
	return output.Write(w, format, width, output.Forms{
		Of:       "of a placement",
		Document: func() (prose.Document, error) { return p.document(), nil },
		Value:    func() (any, error) { return p, nil },
	})
}
