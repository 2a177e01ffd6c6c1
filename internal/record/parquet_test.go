package record_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plinth/internal/record"
)

// minute returns points of a simulated run of the given length: two scripts, one gap.
func minute(seconds int) record.Points {
	points := record.Points{Columns: []record.Column{
		{Name: "second"}, {Name: "tps"}, {Name: "latency_p99_ns"}, {Name: "script.a b.tps"}, {Name: "Commit"},
	}}
	for s := range seconds {
		for i := range points.Columns {
			points.Columns[i].Values = append(points.Columns[i].Values, float64(s-2)*1.5+float64(i))
		}
	}
	points.Columns[2].Values[0] = math.NaN()
	return points
}

func TestPointsRoundTrip(t *testing.T) {
	want := minute(62)
	path := filepath.Join(t.TempDir(), "points.parquet")
	if err := record.WritePoints(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := record.ReadPoints(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Columns) != len(want.Columns) {
		t.Fatalf("%d columns, want %d", len(got.Columns), len(want.Columns))
	}
	for i, column := range got.Columns {
		if column.Name != want.Columns[i].Name {
			t.Errorf("column %d is %q, want %q: order is kept", i, column.Name, want.Columns[i].Name)
		}
		if !slices.EqualFunc(column.Values, want.Columns[i].Values, sameNumber) {
			t.Errorf("column %q = %v, want %v", column.Name, column.Values, want.Columns[i].Values)
		}
	}
}

func sameNumber(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestPointsWithoutRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.parquet")
	if err := record.WritePoints(path, record.Points{Columns: []record.Column{{Name: "second"}}}); err != nil {
		t.Fatal(err)
	}
	got, err := record.ReadPoints(path)
	if err != nil || len(got.Columns) != 1 || len(got.Columns[0].Values) != 0 {
		t.Fatalf("ReadPoints = %+v, %v; want one empty column", got, err)
	}
}

func TestWritePointsRefuses(t *testing.T) {
	for name, points := range map[string]record.Points{
		"nothing":      {},
		"same twice":   {Columns: []record.Column{{Name: "second"}, {Name: "second"}}},
		"no name":      {Columns: []record.Column{{Name: ""}}},
		"not the same": {Columns: []record.Column{{Name: "second", Values: []float64{1}}, {Name: "tps"}}},
	} {
		if err := record.WritePoints(filepath.Join(t.TempDir(), "p"), points); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

func TestReadPointsRefusesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.parquet")
	if err := record.WritePoints(path, minute(10)); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(good); cut += 7 {
		if err := os.WriteFile(path, good[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := record.ReadPoints(path); err == nil {
			t.Errorf("the first %d of %d bytes were read as points", cut, len(good))
		}
	}
}
