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

func TestReadLine(t *testing.T) {
	const at = "2026-11-21 03:15:00.123 UTC [4711] "
	for line, want := range map[string]string{
		at + "LOG:  checkpoint starting: wal":                             "checkpoint-start|wal",
		at + "LOG:  checkpoint starting: immediate force wait":            "checkpoint-start|immediate force wait",
		at + "LOG:  restartpoint starting: time":                          "checkpoint-start|restartpoint starting: time",
		"LOG:  checkpoint starting: time":                                 "checkpoint-start|time",
		"03:15 user=a,db=b,app=[unknown] LOG:  checkpoint starting: time": "checkpoint-start|time",
		at + "LOG:  checkpoint complete: wrote 123 buffers (0.8%); 0 WAL file(s) added, 0 removed, 1 recycled; " +
			"write=1.200 s, sync=0.030 s, total=1.300 s; sync files=12, longest=0.010 s, average=0.003 s; distance=17034 kB, estimate=17034 kB": "checkpoint-end|wrote 123 buffers (0.8%); write=1.200 s, sync=0.030 s, total=1.300 s; sync files=12, longest=0.010 s, average=0.003 s; distance=17034 kB, estimate=17034 kB",
		at + "LOG:  checkpoint complete: wrote 3 buffers (0.0%), wrote 2 SLRU buffers; 0 WAL file(s) added, 0 removed, 0 recycled; write=0.1 s, sync=0.1 s, total=0.2 s; lsn=0/1, redo lsn=0/1": "checkpoint-end|wrote 3 buffers (0.0%), wrote 2 SLRU buffers; write=0.1 s, sync=0.1 s, total=0.2 s",
		at + "LOG:  restartpoint complete: wrote 7 buffers (0.0%); write=0.1 s":                         "checkpoint-end|restartpoint: wrote 7 buffers (0.0%); write=0.1 s",
		at + `LOG:  automatic vacuum of table "plinth.public.pgbench_history": index scans: 0`:          "autovacuum|vacuum of plinth.public.pgbench_history",
		at + `LOG:  automatic aggressive vacuum to prevent wraparound of table "p.q.r": index scans: 1`: "autovacuum|aggressive vacuum to prevent wraparound of p.q.r",
		at + `LOG:  automatic analyze of table "plinth.public.pgbench_tellers"`:                         "autovacuum|analyze of plinth.public.pgbench_tellers",
		at + "LOG:  checkpoints are occurring too frequently (9 seconds apart)":                         "log|checkpoints are occurring too frequently (9 seconds apart)",
		at + "LOG:  process 12 still waiting for ShareLock on transaction 755 after 1000.123 ms":        "log|process 12 still waiting for ShareLock on transaction 755 after 1000.123 ms",
		at + `LOG:  parameter "primary_conninfo" changed to "host=a password=geheim"`:                   "log|parameter primary_conninfo changed",
		at + `LOG:  parameter "shared_buffers" cannot be changed without restarting the server`:         "log|parameter shared_buffers cannot be changed without restarting the server",
		at + "LOG:  received SIGHUP, reloading configuration files":                                     "log|received SIGHUP, reloading configuration files",
		at + "LOG:  database system is ready to accept connections":                                     "log|database system is ready to accept connections",
		at + "LOG:  server process (PID 99) was terminated by signal 9: Killed":                         "log|server process (PID 99) was terminated by signal 9: Killed",
		at + `PANIC:  could not write to file "pg_wal/xlogtemp.1": No space left on device`:             `log|PANIC: could not write to file "pg_wal/xlogtemp.1": No space left on device`,
		at + "FATAL:  terminating connection due to administrator command":                              "log|FATAL: terminating connection due to administrator command",
		at + `FATAL:  password authentication failed for user "bob"`:                                    `log|FATAL: password authentication failed for user "…"`,
		at + `ERROR:  invalid input syntax for type integer: "4111 1111 1111 1111`:                      `log|ERROR: invalid input syntax for type integer: "…"`,
		at + `ERROR:  duplicate key value violates unique constraint "x" of "y"`:                        `log|ERROR: duplicate key value violates unique constraint "…" of "…"`,
		at + `WARNING:  database "postgres" must be vacuumed within 10 transactions`:                    `log|WARNING: database "postgres" must be vacuumed within 10 transactions`,
		// Ignored lines, some of which resemble relevant ones.
		"": "|", "\x00": "|", ":  ": "|", "LOG:": "|", "LOG: ": "|",
		at + "LOG:  duration: 12.3 ms  statement: SELECT 'geheim'":  "|",
		at + "LOG:  connection received: host=[local]":              "|",
		at + "STATEMENT:  SELECT 'ERROR:  geheim'":                  "|",
		at + "DETAIL:  Key (a)=(geheim) already exists.":            "|",
		"\tERROR:  a line of a statement":                           "|",
		at + "NOTICE:  ERROR:  raised":                              "|",
		at + "WARNING:  there is already a transaction in progress": "|",
		"Error:  ERROR:  a prefix that looks alike":                 "log|ERROR: a prefix that looks alike",
	} {
		kind, text := readLine(line)
		if got := kind + "|" + text; got != want {
			t.Errorf("%q:\n got %q\nwant %q", line, got, want)
		}
	}
}

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
