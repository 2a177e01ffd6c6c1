package chart_test

import (
	"strings"
	"testing"

	"plinth/internal/chart"
)

// TestDetailAloneIsWhole checks that a row without a label of its own, a cell below its
// workload, shows its whole detail.
func TestDetailAloneIsWhole(t *testing.T) {
	for _, width := range []int{360, 720, 960} {
		f := chart.Forest{Unit: "%", Width: width, Rows: []chart.ForestRow{
			{Label: "tpcb-like", Whole: true, Effect: 3, Low: 1, High: 5, Text: "+3 % (1 to 5 %)", Word: "better"},
			{Detail: "16 clients, 2 threads", Effect: 3, Low: 1, High: 5, Text: "+3 % (1 to 5 %)"},
		}}
		if svg := f.SVG(); !strings.Contains(svg, ">16 clients, 2 threads<") {
			t.Errorf("at %d px it is cut:\n%s", width, svg)
		}
	}
}

// TestFewRowsAreAllOnTheAxis checks that neither of two rows counts as out of proportion.
func TestFewRowsAreAllOnTheAxis(t *testing.T) {
	f := chart.Forest{Unit: "%", Margin: 3, Rows: []chart.ForestRow{
		{Label: "select-only", Effect: 2, Low: -1, High: 5.7},
		{Label: "tpcb-like", Effect: 44, Low: 31, High: 57.7},
	}}
	if svg := f.SVG(); strings.Contains(svg, "beyond the axis") {
		t.Errorf("a row leaves the axis:\n%s", svg)
	}
}
