package pgbench

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"plinth/internal/driver/latency"
)

// logOf returns a log as pgbench writes it: n transactions of some clients at tps
// transactions a second, latencies log-normal around 150 us with a long tail.
func logOf(n int, tps float64) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, n*42)
	end := int64(1_795_252_004_335_588)
	counts := make([]int64, 16)
	for i := range n {
		client := i % len(counts)
		counts[client]++
		end += int64(random.ExpFloat64() * 1e6 / tps)
		latency := 150 * math.Exp(random.NormFloat64()*0.5)
		if random.IntN(1000) == 0 {
			latency *= 40
		}
		b = fmt.Appendf(b, "%d %d %.0f 0 %d %d\n", client, counts[client], latency, end/micro, end%micro)
	}
	return b
}

// BenchmarkDecode decodes a log of two million transactions at 50,000 a second, points and
// histogram log included. One operation is one transaction.
func BenchmarkDecode(b *testing.B) {
	const n = 2_000_000
	for _, tps := range []float64{1000, 50_000} {
		log := logOf(n, tps)
		b.Run(fmt.Sprintf("tps=%.0f", tps), func(b *testing.B) {
			b.ReportAllocs()
			for done := 0; done < b.N; done += n {
				decodeAll(b, log[:min(len(log), len(log)*(b.N-done)/n)])
			}
		})
	}
}

func decodeAll(b *testing.B, log []byte) {
	s := &stream{}
	p := newPage([]string{"a"}, micro, false, latency.NewLog(io.Discard))
	l := newLedger(window{warmup: micro}, 0, []*stream{s}, p, b.TempDir())
	for len(log) > 0 {
		piece := log[:min(len(log), 64<<10)]
		log = log[len(piece):]
		if _, err := l.add(s, piece); err != nil {
			b.Fatal(err)
		}
	}
	s.rest = nil // b.N cuts the log anywhere
	if err := l.finish(s); err != nil {
		b.Fatal(err)
	}
	if _, err := l.closeWindow(true); err != nil {
		b.Fatal(err)
	}
}
