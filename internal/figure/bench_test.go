package figure_test

import (
	"fmt"
	"testing"

	"plinth/internal/figure"
)

// BenchmarkOf an hour with 500 columns, of which 100 are wait events.
func BenchmarkOf(b *testing.B) {
	columns := table{}
	for name, values := range eight() {
		for len(values) < 3600 {
			values = append(values, values...)
		}
		columns[name] = values[:3600]
	}
	for i := range 100 {
		columns[fmt.Sprintf("wait.Extension.Event%d", i)] = each(3600, 0.1)
	}
	for i := range 300 {
		columns[fmt.Sprintf("vmstat.counter%d", i)] = each(3600, 1)
	}
	in := input(columns)
	for b.Loop() {
		figure.Of(in)
	}
}
