package report

import (
	"plinth/internal/chart"
	"plinth/internal/record"
	"plinth/internal/report/compare"
)

func (f *Full) basis(environment string) chart.Basis {
	return compare.BasisOf([]*record.Record{f.rec}, environment)
}
