package page

import (
	"encoding/json"
	"testing"

	"plinth/internal/page/pagetest"
	"plinth/internal/record"
)

// large is a record of some 500 runs of a minute with 230 columns.
func large(b *testing.B) (*record.Record, []record.Run) {
	b.Helper()
	dir, err := pagetest.Make(b.TempDir(), "large")
	if err != nil {
		b.Fatal(err)
	}
	return opened(b, dir)
}

func opened(tb testing.TB, dir string) (*record.Record, []record.Run) {
	tb.Helper()
	rec, err := record.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	counted, _ := record.Counted(environments(rec), rec.Runs)
	return rec, counted
}

// environments are those of the runs, in the order in which they came.
func environments(rec *record.Record) (names []string) {
	seen := map[string]bool{}
	for _, run := range rec.Runs {
		if !seen[run.Environment] {
			seen[run.Environment] = true
			names = append(names, run.Environment)
		}
	}
	return names
}

func noTables(*Detail, *record.Run) {}

// BenchmarkLarge is what the runs of a large page take: first all of them, then those
// that are in the file second by second, and what each of these takes.
func BenchmarkLarge(b *testing.B) {
	rec, counted := large(b)
	b.Run("Runs", func(b *testing.B) {
		for b.Loop() {
			if runs := Runs(rec, counted); len(runs) < 500 || runs[0].Overview == nil {
				b.Fatal("no overview")
			}
		}
	})
	b.Run("Choose", func(b *testing.B) {
		for b.Loop() {
			details, room := Choose(rec, counted, DetailsLimit, noTables)
			b.ReportMetric(float64(len(details)), "runs")
			b.ReportMetric(float64(room.Used), "bytes")
		}
	})
	b.Run("Detail", func(b *testing.B) {
		for b.Loop() {
			NewDetail(rec, &rec.Runs[0], fileValues)
		}
	})
	b.Run("Heat", func(b *testing.B) {
		for b.Loop() {
			newHeat(rec, rec.Runs[0].RunID, fileValues)
		}
	})
	details, _ := Choose(rec, counted, DetailsLimit, noTables)
	b.Run("JSON", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(details); err != nil {
				b.Fatal(err)
			}
		}
	})
}
