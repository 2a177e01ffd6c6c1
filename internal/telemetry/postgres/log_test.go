package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// TestHostileLines checks that any line results in short, printable text.
func TestHostileLines(t *testing.T) {
	for name, line := range map[string]string{
		"escapes":    "ERROR:  \x1b[2J\x1b]0;title\x07 gone\r\n\x9b31m",
		"megabyte":   "ERROR:  " + strings.Repeat("a long story ", 80_000),
		"not UTF-8":  "ERROR:  \xff\xfe\x80 \xc3",
		"direction":  "ERROR:  \u202egnirts\u2066 \u200b",
		"long runes": "ERROR:  " + strings.Repeat("𝄞", 100),
	} {
		kind, text := readLine(line)
		if kind != "log" || !strings.HasPrefix(text, "ERROR: ") {
			t.Errorf("%s: %q %q", name, kind, text)
		}
		checkText(t, text)
	}
}

func checkText(t *testing.T, text string) {
	t.Helper()
	if len(text) > 200 || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %q", len(text), text)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			t.Errorf("%q has %U", text, r)
		}
	}
}

func FuzzReadLine(f *testing.F) {
	f.Add("2026-11-21 03:15:00.123 UTC [4711] LOG:  checkpoint complete: wrote 123 buffers (0.8%); write=1.200 s")
	f.Add(`x LOG:  automatic vacuum of table "a.b.c": index scans: 0`)
	f.Add(`x LOG:  parameter "a" changed to "b"`)
	f.Add("ERROR:  \"\xff\u202e\x1b")
	f.Fuzz(func(t *testing.T, line string) {
		kind, text := readLine(line)
		if kind == "" && text != "" {
			t.Errorf("%q without a kind", text)
		}
		checkText(t, text)
	})
}

// TestFlood checks that errors of the load do not flood the timeline: equal ones become one
// mark, and the number of different ones is limited.
func TestFlood(t *testing.T) {
	log, at := NewLog(), time.Now()
	for i := range 1000 {
		log.Line(at, "ERROR:  could not serialize access due to concurrent update")
		log.Line(at, fmt.Sprintf("FATAL:  error number %d", i))
	}
	log.Line(at, "LOG:  checkpoint starting: time")
	p := &part{question: newCheckpoints(log), server: newServer(Options{Config: (&cluster{dir: "/nowhere"}).config(t)}), asked: &statement{}}
	c := telemetry.Start(t.Context(), telemetry.Lane{Sources: []telemetry.Source{drains{p}}})
	c.Stop()
	_, told := c.Columns(at, []float64{0})
	if len(told.Marks) != 30+2 || told.Marks[0].Text != "ERROR: could not serialize access due to concurrent update (1000 times)" {
		t.Errorf("%d marks: %+v", len(told.Marks), told.Marks)
	}
	if last := told.Marks[len(told.Marks)-1]; last.Text != "971 more lines" {
		t.Errorf("%+v", last)
	}
}

// drains is a source with only the marks of its question.
type drains struct{ *part }

func (d drains) Metrics() []metric.Metric { return nil }
func (d drains) Read(_ context.Context, b *telemetry.Board) error {
	d.question.(drained).drain(b)
	return nil
}
func (d drains) Close() {}

// TestEachCheckpointHasAMark checks that two checkpoints in one second are two marks,
// though their lines are equal; a repeated message is one mark.
func TestEachCheckpointHasAMark(t *testing.T) {
	log := NewLog()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 2 {
		log.Line(at.Add(time.Duration(i)*time.Millisecond), "2026-01-02 03:04:05 UTC [7] LOG:  checkpoint starting: wal")
		log.Line(at, "2026-01-02 03:04:05 UTC [7] LOG:  checkpoints are occurring too frequently (1 second apart)")
	}
	kinds := map[string]int{}
	b := telemetry.NewBoard("log")
	log.Drain(b)
	for _, m := range b.Marks(at) {
		kinds[m.Kind]++
	}
	if kinds["checkpoint-start"] != 2 || kinds["log"] != 1 {
		t.Errorf("%v", kinds)
	}
}
