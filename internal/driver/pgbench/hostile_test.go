package pgbench

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"plinth/internal/driver/pgbench/txlog"
)

// TestLateThread has one thread that is a quarter of an hour behind the other, which does
// 300 transactions a second: memory stays small, and nothing is lost.
func TestLateThread(t *testing.T) {
	const seconds, tps = 900, 300
	var log bytes.Buffer
	l := newTestLedger(window{}, txlog.Form{}, []string{"a"}, 2, &log, t.TempDir())
	add := func(thread int, piece []byte) {
		if _, err := l.add(l.streams[thread], piece); err != nil {
			t.Fatal(err)
		}
	}
	before := heap()
	var piece []byte
	for s := range int64(seconds) {
		piece = piece[:0]
		for i := range int64(tps) {
			e := txlog.Entry{End: epoch + s*micro + i*(micro/tps), Micros: 50 + (i*i+s)%3000}
			piece = append(piece, logLine(txlog.Form{}, e)...)
		}
		add(0, piece)
	}
	if grown := heap() - before; grown > 6<<20 {
		t.Errorf("%d MiB in use while a thread is late", grown>>20)
	}
	if rows := len(l.page.cols.points.Columns[0].Values); rows != 0 {
		t.Errorf("%d seconds closed before the late thread reached them", rows)
	}
	for s := range int64(seconds) {
		add(1, []byte(logLine(txlog.Form{}, txlog.Entry{End: epoch + s*micro + 500_000, Micros: 900_000})))
	}
	for _, s := range l.streams {
		if err := l.finish(s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.closeWindow(true); err != nil {
		t.Fatal(err)
	}
	if want := int64(seconds * (tps + 1)); l.page.totals.done != want || summarise(l.page.scripts, &l.page.totals).Mean < 1 {
		t.Errorf("%d transactions, want %d", l.page.totals.done, want)
	}
	counted := l.page.scripts[0].histogram.TotalCount()
	if counted != l.page.totals.done {
		t.Errorf("%d latencies of %d transactions", counted, l.page.totals.done)
	}
	if l.attic.size == 0 {
		t.Error("nothing was put into the attic: the test tests nothing")
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestClockJumps has timestamps that no run can have. Every line is counted, few seconds
// result, and the doubt is reported.
func TestClockJumps(t *testing.T) {
	for name, lines := range map[string]string{
		"a year ahead":       "0 1 5 0 1000 0\n0 2 5 0 32000000 0\n0 3 5 0 1001 0\n",
		"a day back":         "0 1 5 0 1000000 0\n0 2 5 0 900000 0\n0 3 5 0 1000001 0\n",
		"hour after hour":    "0 1 5 0 1000 0\n0 2 5 0 4500 0\n0 3 5 0 8500 0\n",
		"an age of latency":  "0 1 999999999999999 0 1000 0\n0 2 5 0 1000 5\n0 3 5 0 1000 9\n",
		"a negative latency": "0 1 5 0 1000 0\n0 2 -5000000 0 1000 5\n0 3 5 0 1001 0\n",
	} {
		for _, length := range []int64{0, 10 * micro} {
			t.Run(fmt.Sprint(name, length), func(t *testing.T) {
				var log bytes.Buffer
				l := newTestLedger(window{length: length}, txlog.Form{}, []string{"a"}, 1, &log, t.TempDir())
				l.longest = 3600 * micro
				decodeLogs(t, l, [][]byte{[]byte(lines)}, inOrder)
				if _, err := l.closeWindow(false); err != nil {
					t.Fatal(err)
				}
				if l.whole[0].done != 3 {
					t.Errorf("%d transactions, want 3", l.whole[0].done)
				}
				if rows := len(l.page.cols.points.Columns[0].Values); int64(rows) > l.longest/micro {
					t.Errorf("%d rows", rows)
				}
				if !l.stepped && name != "an age of latency" && (length == 0 || !strings.Contains(name, "ahead") && name != "hour after hour") {
					t.Error("nobody noticed")
				}
			})
		}
	}
}

// TestThreadsBeginApart has the logs of two threads with a rate so low that the first to arrive begins seconds after the other:
// no clock has jumped.
func TestThreadsBeginApart(t *testing.T) {
	var log bytes.Buffer
	l := newTestLedger(window{length: 10 * micro}, txlog.Form{}, []string{"a"}, 2, &log, t.TempDir())
	l.longest = 3600 * micro
	decodeLogs(t, l, [][]byte{[]byte("0 1 5 0 1010 0\n0 2 5 0 1013 0\n"), []byte("1 1 5 0 1007 0\n1 2 5 0 1012 0\n")}, inOrder)
	if _, err := l.closeWindow(false); err != nil {
		t.Fatal(err)
	}
	if l.stepped || l.whole[0].done != 4 {
		t.Errorf("a clock jumped: %t; %d transactions, want 4", l.stepped, l.whole[0].done)
	}
}

// FuzzDecode passes any bytes as logs of two threads. What pgbench cannot have written must
// result in an error that names the line, never a panic, and never more than an hour of
// rows here.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("0 1 826 0 1795252004 335588\n"), []byte("2 1 973 0 1795252004 335753\n"), uint8(0))
	f.Add([]byte("0 81 4621 0 1412881037 912698 3005\n0 83 skipped 0 1412881037 914578 5217\n"), []byte(""), uint8(1))
	f.Add([]byte("3 0 47423 1 1499414498 34501 3\n3 1 failed 0 1499414498 84905 9\n"), []byte("1 1 5 0 5 0 0\n"), uint8(2))
	f.Add([]byte("0 1 5 0 1000 0\n0 2 5 0 90000000 0\n0 3 -5 0 1 0\n"), []byte("0 1 999999999999999 0 1000 0\n"), uint8(4))
	f.Fuzz(func(t *testing.T, a, b []byte, options uint8) {
		form := txlog.Form{Lag: options&1 != 0, Retries: options&2 != 0}
		w := window{warmup: micro}
		if options&4 == 0 {
			w.length = 3 * micro
		}
		var log bytes.Buffer
		l := newTestLedger(w, form, []string{"a", "b"}, 2, &log, t.TempDir())
		l.longest = 3600 * micro
		for i, text := range [][]byte{a, b} {
			for len(text) > 0 {
				piece := text[:min(7, len(text))]
				text = text[len(piece):]
				if _, err := l.add(l.streams[i], piece); err != nil {
					wantLine(t, err)
					return
				}
			}
			if err := l.finish(l.streams[i]); err != nil {
				wantLine(t, err)
				return
			}
		}
		seconds, err := l.closeWindow(false)
		if err != nil {
			t.Fatal(err)
		}
		l.page.result(seconds)
		lines := bytes.Count(a, []byte("\n")) + bytes.Count(b, []byte("\n"))
		whole := total(l.whole)
		if got := whole.done + whole.failures + whole.skipped; got != int64(lines) {
			t.Fatalf("%d transactions in %d lines", got, lines)
		}
	})
}

func wantLine(t *testing.T, err error) {
	if !strings.Contains(err.Error(), "transaction log of thread ") || !strings.Contains(err.Error(), ", line ") {
		t.Fatalf("error without a line: %v", err)
	}
}
