//go:build linux

package watch

import (
	"os"
	"testing"
)

// One reading, which a watch takes five times a second, must stay below 1 ms:
// 0.5 % of a core.
func BenchmarkWatchReading(b *testing.B) {
	stop := parkThreads(8)
	defer stop()
	m := newMeter("/", os.Getpid())
	b.ReportAllocs()
	for b.Loop() {
		if r := m.read(); r.process.err != nil || r.process.figure.threads < 8 {
			b.Fatal(r.process)
		}
	}
}

func BenchmarkReadProcesses(b *testing.B) {
	var n int
	b.ReportAllocs()
	for b.Loop() {
		p, err := ReadProcesses()
		if err != nil {
			b.Fatal(err)
		}
		n = len(p.byPID)
	}
	b.ReportMetric(float64(n), "processes")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/process")
}
