package serve

import (
	"plinth/internal/page"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// pages is what makes the pages of records, so that tests of how they are sent need
// not make them.
type pages interface {
	// report is the whole page, part only what is exchanged when the record changed.
	report(*record.Record) ([]byte, error)
	part(*record.Record) ([]byte, error)
	// detail is one run second by second.
	detail(*record.Record, *record.Run) page.Detail
	comparison(a, b *record.Record, parity parity) ([]byte, error)
}

// parity names what of two environments differs without having been declared.
type parity func(a, b record.Environment) []record.Note

// recordPages are the pages as package page makes them.
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
