package pgbench

import (
	"slices"
	"testing"
)

// TestMetrics checks that each column written is in the catalog, in the same order.
func TestMetrics(t *testing.T) {
	var documented []string
	for _, m := range Metrics() {
		documented = append(documented, m.Name)
		if m.Unit == "" || m.Help == "" {
			t.Errorf("%s has no unit or no meaning", m.Name)
		}
	}
	var written []string
	for _, c := range newColumns([]string{"one"}, true).points.Columns[1:] {
		written = append(written, c.Name)
	}
	if !slices.Equal(documented, written) {
		t.Errorf("the catalog has %q, a run with a rate %q", documented, written)
	}
}
