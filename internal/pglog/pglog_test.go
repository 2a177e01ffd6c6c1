package pglog

import (
	"strings"
	"testing"
)

// markOfLine returns the mark of a line on standard error.
func markOfLine(line string) (kind, text string) {
	_, severity, message, ok := Divide([]byte(line))
	if !ok || strings.HasPrefix(line, "\t") {
		return "", ""
	}
	return Mark(string(severity), string(message))
}

// TestMark checks the mark of each line of a log.
func TestMark(t *testing.T) {
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
		kind, text := markOfLine(line)
		if got := kind + "|" + text; got != want {
			t.Errorf("%q:\n got %q\nwant %q", line, got, want)
		}
	}
}
