//go:build linux

package postgres

import (
	"testing"
	"time"

	"plinth/internal/telemetry"
)

// BenchmarkPut measures the handling of one answer, without the server.
func BenchmarkPut(b *testing.B) {
	values := [][]byte{nil}
	for range 20 {
		values = append(values, []byte("1234567890"))
	}
	q := newDatabase()
	if _, err := q.sql(15); err != nil {
		b.Fatal(err)
	}
	a := &answer{}
	board := telemetry.NewBoard(q.name())
	board.Begin(time.Now())
	b.ReportAllocs()
	for b.Loop() {
		a.rows.clear()
		a.rows.add(values)
		if err := q.put(board, a); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTally measures one sample of ten different wait events.
func BenchmarkTally(b *testing.B) {
	names := []string{"WALWrite", "WALInsert", "BufferMapping", "ProcArray", "transactionid", "tuple", "DataFileRead", "WALSync", "ClientRead", "XactSLRU"}
	a := &answer{}
	tally := newTally()
	b.ReportAllocs()
	for b.Loop() {
		a.rows.clear()
		for _, name := range names {
			a.rows.add([][]byte{[]byte("LWLock"), []byte(name), []byte("7"), []byte("active")})
		}
		if err := tally.add(a); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadLine measures a log line that is ignored, as most are.
func BenchmarkReadLine(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readLine("2026-11-21 03:15:00.123 UTC [4711] LOG:  duration: 12.345 ms  statement: UPDATE pgbench_accounts SET abalance = 1")
	}
}

// BenchmarkRound measures all questions of a second, with a real server.
func BenchmarkRound(b *testing.B) {
	c := newCluster(b, oneVersion(b))
	s := newServer(Options{Config: c.config(b)})
	for _, q := range questions(nil) {
		s.part(q)
	}
	defer s.close()
	b.ReportAllocs()
	for b.Loop() {
		if s.ask(b.Context()); s.link == nil {
			b.Fatal(s.lost)
		}
	}
}

// BenchmarkSample measures one sample of wait events, with a real server.
func BenchmarkSample(b *testing.B) {
	c := newCluster(b, oneVersion(b))
	s := newServer(Options{Config: c.config(b)})
	w := newWait(s)
	s.ask(b.Context())
	defer s.close()
	b.ReportAllocs()
	for b.Loop() {
		if w.Sample(b.Context()); w.missed != nil {
			b.Fatal(w.missed)
		}
	}
}
