package metric_test

import (
	"reflect"
	"slices"
	"testing"

	"plinth/internal/metric"
)

// TestFigures: names and titles are unique, and units are those that are printed.
func TestFigures(t *testing.T) {
	names, titles := map[string]bool{}, map[string]bool{}
	for _, f := range metric.Figures() {
		if names[f.Name] || titles[f.Title] || f.Help == "" {
			t.Errorf("%+v: name or title are there twice, or it has no help", f)
		}
		names[f.Name], titles[f.Title] = true, true
		if !slices.Contains([]string{"1/s", "bytes", "bytes/s", "ns", "s", "1"}, f.Unit) || f.Share && f.Unit != "1" || f.Moment != (f.Unit == "s") {
			t.Errorf("%s is measured in %q", f.Name, f.Unit)
		}
	}
}

// TestFigureNamed: by name, and wait events by pattern.
func TestFigureNamed(t *testing.T) {
	for _, f := range metric.Figures() {
		if got, known := metric.FigureNamed(f.Name); known != (f.Name != metric.Wait) || known && !reflect.DeepEqual(got, f) {
			t.Errorf("%s: %+v, %v", f.Name, got, known)
		}
	}
	f, known := metric.FigureNamed("wait.IO.WALSync")
	if !known || f.Name != "wait.IO.WALSync" || f.Title != "waits for WALSync (IO)" || !f.Share || f.Better != metric.Neither {
		t.Errorf("%+v, %v", f, known)
	}
	for _, name := range []string{"", "wait", "wait.", "wait.IO", "wait.IO.", "wait..x", "wait.active", "tps", "wait.{type}.x", "waiting.IO.x"} {
		if f, known := metric.FigureNamed(name); known {
			t.Errorf("%q is %+v", name, f)
		}
	}
}

// TestFigureNames: figures that can be compared.
func TestFigureNames(t *testing.T) {
	names := metric.FigureNames()
	for _, f := range metric.Figures() {
		if want := !f.Moment && f.Name != metric.Wait; slices.Contains(names, f.Name) != want {
			t.Errorf("%s: %v", f.Name, !want)
		}
	}
}
