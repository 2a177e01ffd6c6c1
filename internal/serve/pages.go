package serve

import (
	"plinth/internal/page"
	"plinth/internal/record"
)

// pages is what makes the pages of records, so that tests of how they are sent need
// not make them.
type pages interface {
	// report is the whole page, part only what is exchanged when the record changed.
	report(*record.Record) ([]byte, error)
	part(*record.Record) ([]byte, error)
	// detail is one run second by second.
	detail(*record.Record, *record.Run) (page.Detail, error)
	comparison(a, b *record.Record, parity func(a, b record.Environment) []record.Note) ([]byte, error)
}
