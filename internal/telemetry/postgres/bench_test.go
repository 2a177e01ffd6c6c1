//go:build linux

package postgres

import (
	"testing"
	"time"

	"plinth/internal/telemetry"
)

// BenchmarkPut is what becomes of one answer of each question, without the server.
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

// BenchmarkTally is one sample of wait events, of ten different ones.
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

// BenchmarkReadLine is one line of a log that means nothing, as most do.
func BenchmarkReadLine(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readLine("2026-11-21 03:15:00.123 UTC [4711] LOG:  duration: 12.345 ms  statement: UPDATE pgbench_accounts SET abalance = 1")
	}
}

// BenchmarkRound is all questions of a second, with a real server.
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

// BenchmarkSample is one sample of wait events, with a real server.
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
