package serve

import (
	"plinth/internal/page"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// pages renders the pages of records. It is an interface so that tests of the server need not
// render real ones.
type pages interface {
	// report returns the whole page, part only the HTML that is replaced when the record changes.
	report(*record.Record) ([]byte, error)
	part(*record.Record) ([]byte, error)
	// detail returns one run second by second.
	detail(*record.Record, *record.Run) page.Detail
	comparison(a, b *record.Record, parity parity) ([]byte, error)
}

// parity lists the undeclared differences between two environments.
type parity func(a, b record.Environment) []record.Note

// recordPages renders with package page.
type recordPages struct{}

func (recordPages) report(rec *record.Record) ([]byte, error) {
	p, err := page.NewServed(rec)
	if err != nil {
		return nil, err
	}
	return p.Served()
}

func (recordPages) part(rec *record.Record) ([]byte, error) {
	p, err := page.NewServed(rec)
	if err != nil {
		return nil, err
	}
	return p.Part()
}

func (recordPages) detail(rec *record.Record, run *record.Run) page.Detail {
	return page.RunDetail(rec, run)
}

func (recordPages) comparison(a, b *record.Record, parity parity) ([]byte, error) {
	c, err := verdict.Between(a, b, verdict.Options{}, parity)
	if err != nil {
		return nil, err
	}
	p, err := page.NewComparison(c, a, b)
	if err != nil {
		return nil, err
	}
	return p.Served()
}
