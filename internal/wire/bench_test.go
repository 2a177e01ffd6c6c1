package wire

import (
	"context"
	"math"
	"syscall"
	"testing"
	"time"
)

// BenchmarkCall measures the latency of a call without content.
func BenchmarkCall(b *testing.B) {
	method := Method[struct{}, struct{}, struct{}]{"empty"}
	s := new(Server)
	method.Handle(s, func(context.Context, struct{}, func(struct{})) (struct{}, error) { return struct{}{}, nil })
	c, _ := connectEnds(b, "os.Pipe", s, Options{}, Options{})
	for b.Loop() {
		if _, err := method.Call(b.Context(), c, struct{}{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvent measures an event with the 250 columns of one second: CPU time of both ends and bytes
// on the wire.
func BenchmarkEvent(b *testing.B) {
	type second struct {
		At     time.Time
		Values []float64
	}
	method := Method[int, second, int]{"seconds"}
	s := new(Server)
	method.Handle(s, func(_ context.Context, n int, send func(second)) (int, error) {
		values := make([]float64, 250)
		for i := range values {
			values[i] = math.Sqrt(float64(i))
		}
		for range n {
			send(second{time.Now(), values})
		}
		return n, nil
	})
	c, _ := connectEnds(b, "os.Pipe", s, Options{}, Options{})
	bytes, cpu := c.line.heard.Load(), cpuTime(b)
	b.ResetTimer()
	if _, err := method.Call(b.Context(), c, b.N, func(second) {}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(c.line.heard.Load()-bytes)/float64(b.N), "wire-B/op")
	b.ReportMetric(float64(cpuTime(b)-cpu)/float64(b.N), "cpu-ns/op")
}

// cpuTime returns the CPU time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
