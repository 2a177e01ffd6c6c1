package perf

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadingAllocatesNothing, as readings of a run must not.
func TestReadingAllocatesNothing(t *testing.T) {
	needEvents(t)
	s := openLive(t, allCPUs(t), []Event{PageFaults, CPUClock})
	if n := testing.AllocsPerRun(10, func() {
		if err := s.Read(); err != nil {
			t.Fatal(err)
		}
		_ = s.Count(PageFaults)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// likeTelemetry is as many groups and events as telemetry counts.
var likeTelemetry = [][]Event{
	{CPUClock, software("task-clock", unix.PERF_COUNT_SW_TASK_CLOCK)},
	{PageFaults},
	{minorFaults},
	{software("context-switches", unix.PERF_COUNT_SW_CONTEXT_SWITCHES), software("cpu-migrations", unix.PERF_COUNT_SW_CPU_MIGRATIONS)},
}

// BenchmarkOpen opens and closes as many groups and events as telemetry does, on all CPUs.
func BenchmarkOpen(b *testing.B) {
	needEvents(b)
	for b.Loop() {
		s, err := Open(allCPUs(b), likeTelemetry...)
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
	b.ReportMetric(float64(runtime.NumCPU()), "CPUs")
}

// BenchmarkRead takes a reading, as telemetry does once a second.
func BenchmarkRead(b *testing.B) {
	needEvents(b)
	s := openLive(b, allCPUs(b), likeTelemetry...)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Read(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(runtime.NumCPU()), "CPUs")
}
