package emulator

import (
	"fmt"
	"testing"
	"time"

	"plinth/internal/device"
)

// BenchmarkPath measures the throughput ceiling of the path to the emulator, through a loop
// device or nbd, and the emulator's CPU time per operation.
func BenchmarkPath(b *testing.B) {
	b.Run("form=fuse", benchmarkForm)
	b.Run("form=nbd", func(b *testing.B) {
		asNBD(b)
		benchmarkForm(b)
	})
}

func benchmarkForm(b *testing.B) {
	for _, d := range []device.Device{{}, constant(500 * time.Microsecond)} {
		for _, depth := range []int{1, 32} {
			for _, write := range []bool{false, true} {
				name := fmt.Sprintf("delay=%v/depth=%d/write=%v", d.Read.Median, depth, write)
				b.Run(name, func(b *testing.B) { benchmark(b, d, depth, write) })
			}
		}
	}
}

func benchmark(b *testing.B, d device.Device, depth int, write bool) {
	e := begin(b, d)
	do := operations(b, loop(b, e).Name(), write)
	before := reading(b, e)
	b.SetBytes(pageSize)
	b.ResetTimer()
	timed(b, depth, (b.N+depth-1)/depth, do)
	b.StopTimer()
	after := reading(b, e)
	late := Late(before, after)
	b.ReportMetric(float64((after.CPU-before.CPU).Nanoseconds())/float64(late.Answered), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
	b.ReportMetric(float64(late.P99.Nanoseconds()), "late-p99-ns")
}
