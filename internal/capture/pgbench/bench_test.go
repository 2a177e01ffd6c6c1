package pgbench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/driver/pgbench/txlog"
)

// someLog returns a log of n transactions at tps transactions a second, of 16 clients: latencies are
// log-normal around 150 us with a long tail.
func someLog(n int, tps float64) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, n*42)
	end := int64(1_795_252_004_335_588)
	for i := range n {
		end += int64(random.ExpFloat64() * 1e6 / tps)
		latency := 150 * math.Exp(random.NormFloat64()*0.5)
		if random.IntN(1000) == 0 {
			latency *= 40
		}
		b = fmt.Appendf(b, "%d %d %.0f 0 %d %d\n", i%16, i/16+1, latency, end/micro, end%micro)
	}
	return b
}

// BenchmarkLog reads a transaction log, and for comparison only decodes its lines: with the decoder
// alone, and with the loop of capture.Read.
func BenchmarkLog(b *testing.B) {
	for _, tps := range []float64{1000, 50_000} {
		text := someLog(1_000_000, tps)
		b.Run(fmt.Sprintf("decoder/tps=%.0f", tps), func(b *testing.B) { measure(b, text, decodeOnly) })
		b.Run(fmt.Sprintf("lines/tps=%.0f", tps), func(b *testing.B) { measure(b, text, linesOnly) })
		b.Run(fmt.Sprintf("reader/tps=%.0f", tps), func(b *testing.B) { measure(b, text, readLog) })
	}
}

func measure(b *testing.B, text []byte, read func(testing.TB, []byte)) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		read(b, text)
	}
}

func decodeOnly(t testing.TB, text []byte) {
	var e txlog.Entry
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		if !(txlog.Form{}).Parse(text[:end], &e) {
			t.Fatal("not a line")
		}
		text = text[end+1:]
	}
}

type decoder struct{ e txlog.Entry }

func (d *decoder) Line(line []byte) bool       { return txlog.Form{}.Parse(line, &d.e) }
func (d *decoder) End() (capture.Found, error) { return capture.Found{}, nil }

func linesOnly(t testing.TB, text []byte) {
	kind := capture.Kind{Begins: logBegins, New: func() capture.Reader { return &decoder{} }}
	if _, err := capture.Read(bytes.NewReader(text), []capture.Kind{kind}); err != nil {
		t.Fatal(err)
	}
}

func readLog(t testing.TB, text []byte) {
	got, err := capture.Read(bytes.NewReader(text), Kinds())
	if err != nil || len(got.Sections) != 1 || len(got.Unread) > 0 {
		t.Fatal(got, err)
	}
}

// endless repeats a log's lines, each time later.
type endless struct {
	left int
	rest []byte
	at   int64
}

func (l *endless) Read(p []byte) (int, error) {
	for len(l.rest) < len(p) && l.left > 0 {
		l.left--
		l.at++
		l.rest = fmt.Appendf(l.rest, "0 %d 150 0 %d %d\n", l.at, 1_795_252_004+l.at/1000, l.at%1000*1000)
	}
	n := copy(p, l.rest)
	l.rest = l.rest[:copy(l.rest, l.rest[n:])]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
