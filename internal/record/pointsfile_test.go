package record_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

func TestOpenPoints(t *testing.T) {
	rec, _ := recordOfOne(t, minute(10))
	points, err := rec.OpenPoints(&rec.Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer points.Close()
	want := minute(10).Columns
	for i, name := range points.Names() {
		values, err := points.Column(name)
		if err != nil || name != want[i].Name || points.Rows() != 10 || !sameNumbers(values, want[i].Values) {
			t.Errorf("%s = %v, %v; want %s %v", name, values, err, want[i].Name, want[i].Values)
		}
	}
	if _, err := points.Column("no-such"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a column that is not there: %v", err)
	}
}

func recordOfOne(t *testing.T, points record.Points) (*record.Record, record.RunID) {
	t.Helper()
	w := newRecord(t, t.TempDir())
	run := newRun(runID("disk", 1), 1)
	pending, err := w.Begin(run.RunID)
	must(t, err)
	must(t, os.WriteFile(pending.HistogramLog(), []byte("#[a log]\n"), 0o644))
	must(t, pending.Commit(run, points))
	rec, err := record.Open(w.Path())
	must(t, err)
	return rec, run.RunID
}

func sameNumbers(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// TestOpenPointsRefuses damages a good file in one way at a time.
func TestOpenPointsRefuses(t *testing.T) {
	for name, damage := range map[string]struct {
		do   func(t *testing.T, path string)
		want string
	}{
		"none":      {func(t *testing.T, path string) { must(t, os.Remove(path)) }, "no such file"},
		"empty":     {func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }, "0 bytes are too few for a points file"},
		"cut":       {func(t *testing.T, path string) { must(t, os.Truncate(path, 99)) }, ""},
		"huge":      {func(t *testing.T, path string) { must(t, os.Truncate(path, 300<<20)) }, "not a points file"},
		"greedy":    {greedyFooter, "its footer claims 4294967295 bytes"},
		"a link":    {become(symlink, "."), "escapes"},
		"a FIFO":    {become(fifo, "."), "not a points file"},
		"directory": {func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o755)) }, "not a points file"},
	} {
		t.Run(name, func(t *testing.T) {
			rec, id := recordOfOne(t, minute(10))
			damage.do(t, filepath.Join(rec.Path, id.Path(), "points.parquet"))
			_, err := rec.OpenPoints(&rec.Runs[0])
			if err == nil || !strings.HasPrefix(err.Error(), "cannot read points "+id.Path()) || !strings.Contains(err.Error(), damage.want) {
				t.Errorf("error = %v; want ... %s", err, damage.want)
			}
		})
	}
}

// greedyFooter makes the file claim the largest possible footer.
func greedyFooter(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	must(t, err)
	binary.LittleEndian.PutUint32(data[len(data)-8:], 1<<32-1)
	must(t, os.WriteFile(path, data, 0o644))
}

// FuzzPoints reads points from arbitrary bytes: the result is an error or a consistent table.
func FuzzPoints(f *testing.F) {
	path := filepath.Join(f.TempDir(), "points.parquet")
	if err := record.WritePoints(path, minute(3)); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		must(t, os.WriteFile(path, data, 0o644))
		points, err := record.ReadPoints(path)
		if err != nil {
			return
		}
		for _, c := range points.Columns {
			if c.Name == "" || len(c.Values) != len(points.Columns[0].Values) {
				t.Errorf("column %q has %d values", c.Name, len(c.Values))
			}
		}
	})
}

func TestHistogramLog(t *testing.T) {
	rec, id := recordOfOne(t, minute(1))
	data, err := rec.HistogramLog(id)
	if err != nil || string(data) != "#[a log]\n" {
		t.Errorf("%q, %v", data, err)
	}
	path := filepath.Join(rec.Path, id.Path(), "latency.hlog")
	must(t, os.Truncate(path, 65<<20))
	if _, err := rec.HistogramLog(id); err == nil {
		t.Error("65 MiB were read")
	}
	must(t, os.Remove(path))
	if _, err := rec.HistogramLog(id); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
}
