package runpage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// made returns a window of this many seconds in which each column is a ramp.
func made(seconds int, columns ...string) window {
	w := window{columns: map[string][]float64{}}
	for s := range seconds {
		w.seconds = append(w.seconds, float64(s))
	}
	for _, name := range columns {
		for s := range seconds {
			w.columns[name] = append(w.columns[name], float64(s+1))
		}
	}
	return w
}

func labelsOf(rows []series) string {
	var all []string
	for _, r := range rows {
		all = append(all, r.label)
	}
	return strings.Join(all, ", ")
}

// TestDisksOfATimeline checks the choice of disks: those under the data and the WAL, a shared
// one once, and the busiest if the disks are unknown.
func TestDisksOfATimeline(t *testing.T) {
	w := made(3, "tps", "diskstats.vda.writes", "diskstats.vda.write_latency", "diskstats.vdb.writes", "diskstats.vdb.write_latency", "diskstats.vdb.reads")
	w.columns["diskstats.vdb.writes"][0] = 50
	on := func(role string, disks ...string) record.Volume { return record.Volume{Role: role, Disks: disks} }
	for _, c := range []struct {
		volumes     []record.Volume
		want, first string
	}{
		{nil, "TPS, writes/s, write ms", "diskstats.vdb.writes"},
		{[]record.Volume{on("data", "vda")}, "TPS, writes/s, write ms", "diskstats.vda.writes"},
		{[]record.Volume{on("data", "vda"), on("wal", "vda")}, "TPS, writes/s, write ms", "diskstats.vda.writes"},
		{[]record.Volume{on("data", "vda"), on("wal", "vdb")}, "TPS, data w/s, data ms, WAL w/s, WAL ms", "diskstats.vda.writes"},
		{[]record.Volume{on("data"), on("wal", "vdb")}, "TPS, WAL w/s, WAL ms", "diskstats.vdb.writes"},
		{[]record.Volume{on("data", "vda", "vdb")}, "TPS, writes/s, write ms", "diskstats.vdb.writes"},
	} {
		rows := seriesOf(w, c.volumes, experiment.TermsOf("postgres"))
		if labelsOf(rows) != c.want || rows[1].column != c.first {
			t.Errorf("%v: %s (%s), want %s (%s)", c.volumes, labelsOf(rows), rows[1].column, c.want, c.first)
		}
	}
	for _, r := range seriesOf(made(1, "latency_p99_ns", "meminfo.Dirty", "wal.bytes", "sessions.active", "wait.active"), nil, experiment.TermsOf("redis")) {
		if len(r.label) > 9 {
			t.Errorf("%s is too long", r.label)
		}
		if r.column == "sessions.active" {
			t.Error("one look a second is shown, though there are more")
		}
	}
}

// TestMarksOfATimeline checks that the highest-ranking mark of a column is drawn, and none from
// outside the window.
func TestMarksOfATimeline(t *testing.T) {
	tl := timeline{seconds: made(10).seconds, marks: []record.Mark{
		{Second: -0.1, Kind: "log"}, {Second: 2, Kind: "autovacuum"}, {Second: 3.2, Kind: "wal-segment"}, {Second: 3.9, Kind: "checkpoint-start"},
		{Second: 5, Kind: "new"}, {Second: 9.99, Kind: "wal-segment"}, {Second: 10, Kind: "log"},
	}}
	if got := tl.letters(1); got != "  VC *   w" {
		t.Errorf("%q", got)
	}
	if got := tl.letters(4); got != "C*w" { // seconds 0 to 3, 4 to 7, 8 and 9
		t.Errorf("%q", got)
	}
	want := "C: checkpoint begins, second 3|V: autovacuum, second 2|w: WAL segment, second 3, 9|*: new, second 5"
	if got := strings.Join(tl.legend(), "|"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSteps checks that each row is in one step, in order, even with missing seconds.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every := rapid.IntRange(1, 100).Draw(t, "every")
		var seconds []float64
		for s := range rapid.IntRange(0, 300).Draw(t, "last") {
			if rapid.Bool().Draw(t, fmt.Sprint("second ", s)) {
				seconds = append(seconds, float64(s))
			}
		}
		row, end := 0, 0.0
		until := endOf(window{seconds: seconds})
		for _, at := range steps(seconds, every, until) {
			if at.from != row || at.to <= at.from || at.end <= end || at.end > until || at.end < until && math.Mod(at.end, float64(every)) != 0 {
				t.Fatalf("%v in steps of %d: %+v after row %d, %g s", seconds, every, at, row, end)
			}
			for _, s := range seconds[at.from:at.to] {
				if s >= at.end || s < at.end-float64(every) {
					t.Fatalf("second %g is in the step to %g", s, at.end)
				}
			}
			row, end = at.to, at.end
		}
		if row != len(seconds) {
			t.Fatalf("%d of %d rows are in a step", row, len(seconds))
		}
		if n := len(steps(seconds, stepFor(seconds), until)); n > 24 {
			t.Fatalf("%d steps are longer than a screen", n)
		}
	})
}

// TestTimelineFits checks that any timeline fits the terminal, at any realistic width.
func TestTimelineFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "seconds")
		w := made(n)
		for _, name := range []string{"tps", "latency_p99_ns", "meminfo.Dirty", "diskstats.vda.writes", "wal.bytes"} {
			if rapid.Bool().Draw(t, name) {
				w.columns[name] = rapid.SliceOfN(rapid.Float64Range(0, 1e12), n, n).Draw(t, name+" values")
			}
		}
		marks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) record.Mark {
			return record.Mark{Second: rapid.Float64Range(-10, 220).Draw(t, "at"), Kind: rapid.SampledFrom([]string{"log", "checkpoint-start", "x\x1b"}).Draw(t, "kind")}
		}), 0, 20).Draw(t, "marks")
		width := rapid.IntRange(40, 250).Draw(t, "width")
		tl := timeline{seconds: w.seconds, rows: seriesOf(w, nil, experiment.TermsOf("postgres")), marks: marks}
		for line := range strings.Lines(tl.Text(width)) {
			if got := utf8.RuneCountInString(strings.TrimRight(line, "\n")); got > width {
				t.Fatalf("%d characters in %d: %s", got, width, line)
			}
		}
	})
}

// Repetitions of a message are one line; messages with different words are separate.
func TestLogLines(t *testing.T) {
	var marks []record.Mark
	for s := range 6 {
		marks = append(marks, record.Mark{Second: float64(s) + 0.5, Kind: "log", Text: fmt.Sprintf("checkpoints are occurring too frequently (%d seconds apart)", s)})
	}
	marks = append(marks, record.Mark{Second: 6.5, Kind: "log", Text: "PANIC: no space left"}, record.Mark{Second: 2, Kind: "wal-segment", Text: "1 segment"})
	got := logLines(marks, []float64{0, 1, 2, 3, 4, 5, 6})
	want := []string{
		"seconds 0 to 5, server's log, 6 times such as: checkpoints are occurring too frequently (0 seconds apart)",
		"second 6, server's log: PANIC: no space left",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestManyColumnsOfAGap(t *testing.T) {
	if got := firstOf([]string{"a", "b", "c", "d", "e", "f"}); got != "a, b, c and 3 more columns" {
		t.Error(got)
	}
	if got := firstOf([]string{"a", "b"}); got != "a, b" {
		t.Error(got)
	}
}
