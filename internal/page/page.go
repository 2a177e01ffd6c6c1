package page

import (
	"fmt"

	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/runpage"
	"plinth/internal/verdict"
)

// Page is the page of a record, on its way to a file or to a reader of plinth serve.
type Page struct {
	full *report.Full
	data Data
}

// New makes the page of rec for a file: with the runs second by second, as far as
// there is room.
func New(rec *record.Record) (*Page, error) {
	p, err := newPage(rec)
	if err != nil {
		return nil, err
	}
	tables := func(run *record.Run) string { return runpage.HTML(rec, run) }
	p.data.Details, p.data.Room = Choose(rec, p.full.Counted(), DetailsLimit, tables)
	return p, nil
}

// NewServed makes the page of rec for plinth serve, which sends the runs second by
// second when they are asked for.
func NewServed(rec *record.Record) (*Page, error) {
	p, err := newPage(rec)
	if err != nil {
		return nil, err
	}
	p.data.Served, p.data.Details, p.data.Room.Of = true, []Detail{}, len(rec.Runs)
	return p, nil
}

func newPage(rec *record.Record) (*Page, error) {
	full, err := report.NewFull(rec, report.FullOptions{Links: true})
	if err != nil {
		return nil, fmt.Errorf("cannot make the page of %s: %w", rec.Path, err)
	}
	s := rec.Summary
	return &Page{full, Data{
		Schema: Schema, Record: full.Record, Question: full.Question, Engine: s.Engine, Words: experiment.TermsOf(s.Engine), State: s.State, Baseline: s.Baseline,
		Environments: environmentsOf(rec, full.Environments()), Runs: Runs(rec, full.Counted()),
		Telling: telling(rec, full.Counted()),
	}}, nil
}

func environmentsOf(rec *record.Record, names []string) []Environment {
	all := []Environment{}
	for _, name := range names {
		e := Environment{Name: name, Basis: Measured}
		if described, found := rec.Environments[name]; found {
			e.Server = described.Server + " " + described.Version
			e.Basis = Basis(described.Basis())
		}
		all = append(all, e)
	}
	return all
}

// RunDetail is a run second by second, as plinth serve sends it: in full, unless it
// lasted for hours.
func RunDetail(rec *record.Record, run *record.Run) Detail {
	d := NewDetail(rec, run, servedValues)
	d.Tables = runpage.HTML(rec, run)
	return d
}

// NewComparison makes the page of two records compared with each other, for plinth
// serve. Runs second by second are in the pages of the records.
func NewComparison(c *verdict.Comparison, a, b *record.Record) (*Page, error) {
	full, err := report.NewComparison(c, a, b)
	if err != nil {
		return nil, err
	}
	return &Page{full, Data{
		Schema: Schema, Record: strings.Join(c.Records, " and "), Question: full.Question, State: record.Complete,
		Environments: []Environment{}, Runs: []Run{}, Telling: []string{}, Details: []Detail{}, Served: true,
	}}, nil
}
