package page

import (
	"fmt"

	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/division"
	"plinth/internal/report/runpage"
	"plinth/internal/verdict"
)

// Page is the page of a record, for a file or for plinth serve.
type Page struct {
	full *report.Full
	data Data
}

// New returns the page of rec for a file, with as many runs second by second as fit.
func New(rec *record.Record) (*Page, error) {
	p, err := newPage(rec)
	if err != nil {
		return nil, err
	}
	write := func(d *Detail, run *record.Run) { d.write(rec, run) }
	limit, err := p.room()
	if err != nil {
		return nil, err
	}
	p.data.Details, p.data.Room = Choose(rec, p.full.Counted(), limit, write)
	return p, nil
}

// NewServed returns the page of rec for plinth serve, which sends the runs second by second on
// request.
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
		return nil, fmt.Errorf("cannot render the page of %s: %w", rec.Path, err)
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

// RunDetail returns a run second by second, as plinth serve sends it: downsampled only if it is
// longer than three hours.
func RunDetail(rec *record.Record, run *record.Run) Detail {
	d := NewDetail(rec, run, servedValues)
	d.write(rec, run)
	return d
}

// write writes the run's report as HTML.
func (d *Detail) write(rec *record.Record, run *record.Run) {
	d.Tables = runpage.HTML(rec, run)
	if d.Missing == "" { // otherwise it would be said twice
		d.Spent = division.OfRun(rec, run).HTML()
	}
}

// NewComparison returns the page that compares two records, for plinth serve. Runs second by
// second are only on the pages of the records.
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
