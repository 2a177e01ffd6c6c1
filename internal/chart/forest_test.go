package chart

import (
	"math"
	"strings"
	"testing"
)

// A row a thousand times as far out as the others becomes an arrow; the axis fits the others.
func TestForestKeepsItsAxis(t *testing.T) {
	for _, unit := range []string{"%", "x"} {
		f := Forest{Unit: unit, Margin: 0.03}
		for i := range 9 {
			e := 1.2 + float64(i)/10
			f.Rows = append(f.Rows, ForestRow{Label: "w", Effect: e, Low: e - 0.1, High: e + 0.1})
		}
		f.Rows[3].Effect, f.Rows[3].High = 1e5, 2e5
		f.Rows[4].High = math.Inf(1)
		f.Rows[5].Low = math.NaN() // no interval
		a := f.axis()
		if a.hi > 3 || a.lo < -1 {
			t.Errorf("%s: the axis goes from %v to %v", unit, a.lo, a.hi)
		}
		svg := f.SVG()
		if n := f.cutRows(a); n != 2 || !strings.Contains(svg, "2 rows reach beyond the axis") {
			t.Errorf("%s: %d rows are cut, or nobody says so", unit, n)
		}
		inside(t, unit, parse(t, svg))
	}
}

// A few effects of different sizes do not cause rows to be cut off.
func TestForestCutsNothingElse(t *testing.T) {
	for _, f := range []Forest{someForest(0), someForest(360),
		{Rows: []ForestRow{{Effect: 5, Low: 1, High: 9}, {Effect: 64, Low: 30, High: 90}}},
		{Rows: []ForestRow{{Effect: 5, Low: 1, High: 900}}},
		{Unit: "x", Rows: []ForestRow{{Effect: 2, Low: 1.9, High: 2.1}, {Effect: 0.1, Low: 0.05, High: 0.2}}},
	} {
		if a := f.axis(); f.cutRows(a) != 0 || !a.has(f.null()) {
			t.Errorf("%v to %v cuts rows, or leaves out no effect", a.lo, a.hi)
		}
	}
}

func TestForestMarks(t *testing.T) {
	rows := map[string]ForestRow{
		"mark bar":             {Effect: 5, Low: 1, High: 9},
		"mark":                 {Effect: 5, Low: 5, High: 5},
		"hollow bar dashed":    {Effect: 5, Low: 1, High: 9, Basis: Predicted},
		"mark bar range":       {Effect: 5, Low: 1, High: 9, Range: true},
		"mark bar thick":       {Effect: 5, Low: 1, High: 9, Whole: true},
		"":                     {Missing: "too few blocks"},
		"better mark bar word": {Effect: 5, Low: 1, High: 9, Word: "better"},
		"worse mark bar word":  {Effect: -5, Low: -9, High: -1, Word: "worse"},
		"faint mark bar word":  {Effect: 5, Low: 1, High: 9, Word: "inconclusive"},
		"plain mark bar word":  {Effect: 5, Low: 1, High: 9, Word: "equivalent"},
	}
	for want, row := range rows {
		n := parse(t, Forest{Unit: "%", Rows: []ForestRow{row}}.SVG())
		for class := range strings.FieldsSeq(want) {
			if len(n.of(class)) == 0 {
				t.Errorf("%s: no %s", want, class)
			}
		}
		for _, other := range []string{"hollow", "dashed", "range", "thick", "word"} {
			if !strings.Contains(want, other) && len(n.of(other)) > 0 {
				t.Errorf("%s: there is a %s", want, other)
			}
		}
		if row.Missing != "" && (len(n.of("tip")) > 0 || len(n.of("null")) > 1) {
			t.Error("a row without a number has a mark")
		}
	}
}

// Values to the right of no effect are greater, and unmeasured rows are labelled.
func TestForestReadsRight(t *testing.T) {
	n := parse(t, someForest(0).SVG())
	texts := ""
	for _, b := range n.boxes() {
		texts += b.text + "\n"
	}
	for _, want := range []string{"← memory is slower", "memory is faster →", "margin: 3 % either way", "emulated", "8 clients, predicted",
		"every block has an invalid run", "+0.4 % (-1.1 to +1.9 %)", "effect, %"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%s is missing", want)
		}
	}
	f := someForest(720)
	if a := newForestPlan(f).axis; !(a.at(-51) < a.at(0) && a.at(0) < a.at(64)) {
		t.Error("the axis does not ascend")
	}
}
