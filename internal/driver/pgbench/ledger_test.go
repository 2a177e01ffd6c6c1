package pgbench

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"plinth/internal/driver/latency"
	"plinth/internal/driver/pgbench/txlog"
	"plinth/internal/record"
)

const epoch = 1_795_252_004_335_588 // microseconds

// logLine formats e as pgbench does.
func logLine(f txlog.Form, e txlog.Entry) string {
	word := fmt.Sprint(e.Micros)
	switch e.Outcome {
	case txlog.Skipped:
		word = "skipped"
	case txlog.Failed:
		word = "failed"
	}
	line := fmt.Sprintf("%d 1 %s %d %d %d", e.Client, word, e.Script, e.End/micro, e.End%micro)
	if f.Lag {
		line += fmt.Sprintf(" %d", e.Lag)
	}
	if f.Retries {
		line += fmt.Sprintf(" %d", e.Retries)
	}
	return line + "\n"
}

type fataler interface{ Fatal(...any) }

// decodeLogs passes one log for each thread through a ledger; next returns how many bytes
// of which thread come next.
func decodeLogs(t fataler, l *ledger, logs [][]byte, next func(left []int) (thread, bytes int)) {
	left := make([]int, len(logs))
	for i, log := range logs {
		left[i] = len(log)
	}
	for slices.Max(left) > 0 {
		i, n := next(left)
		at := len(logs[i]) - left[i]
		n = min(n, left[i])
		if _, err := l.add(l.streams[i], logs[i][at:at+n]); err != nil {
			t.Fatal(err)
		}
		left[i] -= n
	}
	for _, s := range l.streams {
		if err := l.finish(s); err != nil {
			t.Fatal(err)
		}
	}
}

// inOrder passes the threads' logs one after the other: the last one is as late as
// possible.
func inOrder(left []int) (int, int) {
	for i, n := range left {
		if n > 0 {
			return i, 4096
		}
	}
	return 0, 0
}

func newTestLedger(w window, f txlog.Form, names []string, threads int, log *bytes.Buffer, dir string) *ledger {
	var streams []*stream
	for i := range threads {
		streams = append(streams, &stream{thread: i, form: f})
	}
	return newLedger(w, oracleLimit, streams, newPage(names, w.warmup, f.Lag, latency.NewLog(log)), dir)
}

// TestLedgerAgainstOracle compares rows, totals and histogram log with a direct calculation
// over all entries at once, however the threads' logs arrive.
func TestLedgerAgainstOracle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b"}[:rapid.IntRange(1, 2).Draw(t, "scripts")]
		threads := rapid.IntRange(1, 3).Draw(t, "threads")
		f := txlog.Form{Lag: rapid.Bool().Draw(t, "rate"), Retries: rapid.Bool().Draw(t, "retries")}
		w := window{
			warmup: rapid.SampledFrom([]int64{0, micro, 1_500_000}).Draw(t, "warmup"),
			length: rapid.SampledFrom([]int64{0, 2 * micro, 25 * micro, 3_700_000}).Draw(t, "length"),
		}
		if w.length > 0 {
			w.agreed = rapid.SampledFrom([]int64{0, epoch - micro/2, epoch + 500_000, epoch + 2_300_000}).Draw(t, "agreed")
		}
		var all []txlog.Entry
		logs := make([][]byte, threads)
		for i := range logs {
			end := int64(epoch)
			for range rapid.IntRange(1, 120).Draw(t, "lines") {
				end += rapid.Int64Range(0, 200_000).Draw(t, "gap")
				e := drawEntry(t, f, len(names), end)
				if len(all) == 0 && e.Outcome == txlog.Succeeded {
					e.Micros = 1 // the origin comes from the first line
				}
				all = append(all, e)
				logs[i] = append(logs[i], logLine(f, e)...)
			}
		}
		var hlog bytes.Buffer
		l := newTestLedger(w, f, names, threads, &hlog, dir)
		first := true
		decodeLogs(t, l, logs, func(left []int) (int, int) {
			if first { // so that the oracle knows which line is first
				first = false
				return 0, bytes.IndexByte(logs[0], '\n') + 1
			}
			i := rapid.IntRange(0, threads-1).Filter(func(i int) bool { return left[i] > 0 }).Draw(t, "thread")
			return i, rapid.IntRange(1, 5000).Draw(t, "bytes")
		})
		covered := rapid.Bool().Draw(t, "covered")
		seconds, err := l.closeWindow(covered)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, l, newOracle(all, w, covered), seconds, &hlog)
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func drawEntry(t *rapid.T, f txlog.Form, scripts int, end int64) txlog.Entry {
	e := txlog.Entry{End: end, Script: rapid.IntRange(0, scripts-1).Draw(t, "script"),
		Outcome: rapid.SampledFrom([]txlog.Outcome{txlog.Succeeded, txlog.Succeeded, txlog.Succeeded, txlog.Failed, txlog.Skipped}).Draw(t, "outcome")}
	if e.Outcome == txlog.Succeeded {
		e.Micros = rapid.Int64Range(1, 1_000_000).Draw(t, "micros")
	}
	if f.Lag {
		e.Lag = rapid.Int64Range(0, 1000).Draw(t, "lag")
	}
	if f.Retries {
		e.Retries = rapid.Int64Range(0, 3).Draw(t, "retries")
	}
	return e
}

// oracleLimit is a latency limit in microseconds.
const oracleLimit = 700_000

// oracle calculates directly what a ledger should hold.
type oracle struct {
	whole, window sums
	latencies     *hdrhistogram.Histogram
	rows          map[int64]*sums
	scripts       []map[int64]*sums // rows of each script
	first, end    int64             // seconds with a row
	length        float64
}

func newOracle(all []txlog.Entry, w window, covered bool) *oracle {
	o := &oracle{latencies: record.NewHistogram(), rows: map[int64]*sums{}, scripts: []map[int64]*sums{{}, {}}}
	origin := all[0].End - all[0].Micros
	start := origin + w.warmup
	if w.agreed > 0 {
		start = w.agreed
	}
	latest := all[0].End
	for _, e := range all {
		latest = max(latest, e.End)
	}
	end := latest
	if whole := start + w.length; w.length > 0 && (covered || latest >= whole) {
		end = whole
	}
	o.length = math.Max(float64(end-start), 0) / 1e6
	o.first = -(w.warmup / micro)
	o.end = secondOf(end - start)
	if end == latest && w.length == 0 {
		o.end = secondOf(end + 1 - start)
	}
	for _, e := range all {
		o.whole.add(&e, oracleLimit)
		end := max(e.End, origin)
		if end < start-w.warmup { // before the warm-up of an agreed window
			continue
		}
		at := secondOf(end - start)
		if w.length > 0 && e.End-start >= w.length {
			continue
		}
		for _, rows := range []map[int64]*sums{o.rows, o.scripts[e.Script]} {
			if rows[at] == nil {
				rows[at] = &sums{}
			}
			rows[at].add(&e, oracleLimit)
		}
		if at < 0 {
			continue
		}
		o.window.add(&e, oracleLimit)
		if e.Outcome == txlog.Succeeded {
			_ = o.latencies.RecordValue(e.Micros * 1000)
		}
	}
	return o
}

func compare(t *rapid.T, l *ledger, want *oracle, seconds float64, log *bytes.Buffer) {
	if seconds != want.length {
		t.Fatalf("window of %v s, want %v", seconds, want.length)
	}
	if total(l.whole) != want.whole || l.page.totals != want.window {
		t.Fatalf("whole %+v, window %+v\nwant %+v, %+v", l.whole, l.page.totals, want.whole, want.window)
	}
	r := l.page.result(seconds)
	if h, err := r.Latency.Decode(); err != nil || !h.Equals(want.latencies) {
		t.Fatalf("the window's histogram differs: %v", err)
	}
	cols := map[string][]float64{}
	for _, c := range l.page.cols.points.Columns {
		cols[c.Name] = c.Values
	}
	for i, second := range cols["second"] {
		if int64(second) != want.first+int64(i) {
			t.Fatalf("row %d is second %v, want %d", i, second, want.first+int64(i))
		}
		s := want.rows[int64(second)]
		if s == nil {
			s = &sums{}
		}
		compareScripts(t, l, want.scripts, cols, int64(second), i)
		if s.done > 0 && cols["latency_p99_9_ns"][i] > cols["latency_max_ns"][i] {
			t.Fatalf("second %v: p99.9 above the maximum", second)
		}
		got := sums{done: int64(cols["tps"][i]), failures: int64(cols["failures"][i]), retries: int64(cols["retries"][i]), skipped: int64(cols["skipped"][i]), late: int64(cols["late"][i])}
		if got.done != s.done || got.failures != s.failures || got.retries != s.retries || got.skipped != s.skipped || got.late != s.late {
			t.Fatalf("second %v is %+v, want %+v", second, got, *s)
		}
		if mean := cols["latency_mean_ns"][i]; s.done > 0 && mean != nanos(s.latency)/float64(s.done) || s.done == 0 && !math.IsNaN(mean) {
			t.Fatalf("second %v: mean %v of %+v", second, mean, *s)
		}
		if s.done > 0 && cols["latency_max_ns"][i] != float64(s.longest*1000) {
			t.Fatalf("second %v: maximum %v of %+v", second, cols["latency_max_ns"][i], *s)
		}
	}
	if n := int64(len(cols["second"])); n != max(want.end-want.first, 0) {
		t.Fatalf("%d rows, want seconds %d to %d", n, want.first, want.end)
	}
	for _, c := range l.page.cols.points.Columns {
		if len(c.Values) != len(cols["second"]) {
			t.Fatalf("column %s has %d rows of %d", c.Name, len(c.Values), len(cols["second"]))
		}
	}
	compareLog(t, l, want, log)
}

// compareScripts compares a row's columns of each script of a mix.
func compareScripts(t *rapid.T, l *ledger, want []map[int64]*sums, cols map[string][]float64, second int64, row int) {
	if len(l.page.names) < 2 {
		return
	}
	for n, name := range l.page.names {
		s := want[n][second]
		if s == nil {
			s = &sums{}
		}
		for column, count := range map[string]int64{"tps": s.done, "failures": s.failures,
			"retries": s.retries, "skipped": s.skipped, "late": s.late} {
			if got := cols["script."+name+"."+column][row]; got != float64(count) {
				t.Fatalf("second %d: script %s has %v %s, want %d", second, name, got, column, count)
			}
		}
		if lags := cols["script."+name+".schedule_lag_max_ns"]; l.page.cols.rate && s.done > 0 && lags[row] != nanos(s.worstLag) {
			t.Fatalf("second %d: script %s has a lag of %v, want %v", second, name, lags[row], nanos(s.worstLag))
		}
	}
}

func compareLog(t *rapid.T, l *ledger, want *oracle, log *bytes.Buffer) {
	if err := l.page.log.Close(); err != nil {
		t.Fatal(err)
	}
	merged := record.NewHistogram()
	reader := hdrhistogram.NewHistogramLogReader(log)
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		merged.Merge(h)
	}
	if !merged.Equals(want.latencies) {
		t.Fatalf("the histogram log has %d latencies, want %d", merged.TotalCount(), want.latencies.TotalCount())
	}
}
