//go:build linux

package redisload

import (
	"io"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/redisload/generator"
)

// BenchmarkSecond measures the cost of a second for plinth itself, without the load
// generator: 1 % would be 10 ms.
func BenchmarkSecond(b *testing.B) {
	r := newRun(driver.Job{Workload: mix("get")}, generator.Config{}, io.Discard)
	r.Origin(time.Now(), 0)
	s := generator.NewSecond(1)
	for i := range int64(100_000) {
		s.Parts[0].Latencies.Add(i * 30)
	}
	s.Parts[0].Done, s.Parts[0].Latency, s.End = 100_000, 150_000_000_000, int64(time.Second)
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Second(s); err != nil {
			b.Fatal(err)
		}
	}
}
