package pgbench

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/driver/merge"
	"plinth/internal/driver/pgbench/txlog"
	"plinth/internal/record"
)

// TestMergeIsTheWhole divides the transactions of one load at random among several load generators,
// each with its own clock, decodes the log of each, and compares their merged outcomes with that of
// the whole log.
func TestMergeIsTheWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := drivertest.In(t, dir)
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b c"}[:rapid.IntRange(1, 2).Draw(t, "scripts")]
		f := txlog.Form{Lag: rapid.Bool().Draw(t, "rate"), Retries: rapid.Bool().Draw(t, "retries")}
		w := window{
			warmup: rapid.SampledFrom([]int64{0, micro, 1_500_000}).Draw(t, "warmup"),
			length: rapid.SampledFrom([]int64{2 * micro, 3_700_000, 9 * micro}).Draw(t, "length"),
		}
		n := rapid.IntRange(1, 4).Draw(t, "generators")
		entries := drawLoad(t, f, len(names), n, w)
		whole, wholeLog := outcomeOf(t, slices.Concat(entries...), w, f, names, 0, dir)
		var parts []merge.Part
		for i, part := range entries {
			offset := rapid.Int64Range(-3600*micro, 3600*micro).Draw(t, "offset")
			o, log := outcomeOf(t, part, w, f, names, offset, dir)
			parts = append(parts, merge.Part{Name: string(rune('a' + i)), Outcome: o, Log: bytes.NewReader(log),
				Clock: merge.Clock{Offset: time.Duration(offset) * time.Microsecond}})
		}
		agreed := merge.Agreement{Window: whole.Begin, Length: time.Duration(w.length) * time.Microsecond}
		merged, err := merge.Outcomes(parts, agreed, kept)
		if err != nil {
			t.Fatal(err)
		}
		if merged.Problems != nil || merged.Warnings != nil {
			t.Fatalf("problems %v, warnings %v", merged.Problems, merged.Warnings)
		}
		drivertest.SameOutcome(t, merged, whole)
		log, err := os.ReadFile(kept.HistogramLog)
		if err != nil {
			t.Fatal(err)
		}
		drivertest.SameLog(t, log, wholeLog)
	})
}

// drawLoad returns the transactions of n load generators that begin at the same moment.
func drawLoad(t *rapid.T, f txlog.Form, scripts, n int, w window) [][]txlog.Entry {
	const first = 50_000 // all first transactions end by then
	entries := make([][]txlog.Entry, n)
	for i := range entries {
		micros := rapid.Int64Range(1, first).Draw(t, "first")
		entries[i] = append(entries[i], txlog.Entry{End: epoch + micros, Micros: micros})
	}
	end, span := int64(epoch+first), w.warmup+w.length
	lines := rapid.IntRange(0, 150).Draw(t, "lines")
	for range lines {
		end += rapid.Int64Range(0, 2*span/150).Draw(t, "gap")
		i := rapid.IntRange(0, n-1).Draw(t, "generator")
		entries[i] = append(entries[i], drawEntry(t, f, scripts, end))
	}
	return entries
}

// outcomeOf decodes the log of these transactions, written by a clock that lags by an offset.
func outcomeOf(t *rapid.T, entries []txlog.Entry, w window, f txlog.Form, names []string, offset int64, dir string) (*driver.Outcome, []byte) {
	slices.SortStableFunc(entries, func(a, b txlog.Entry) int { return int(a.End - b.End) })
	var log []byte
	for _, e := range entries {
		e.End -= offset
		log = append(log, logLine(f, e)...)
	}
	var hlog bytes.Buffer
	l := newTestLedger(w, f, names, 1, &hlog, dir)
	decodeLogs(t, l, [][]byte{log}, inOrder)
	seconds, err := l.closeWindow(true)
	if err == nil {
		err = l.page.log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	o := &driver.Outcome{Driver: record.Driver{Program: "pgbench"}, Result: l.page.result(seconds), Points: l.page.cols.points}
	o.Begin, o.End = l.bounds(seconds)
	return o, hlog.Bytes()
}
