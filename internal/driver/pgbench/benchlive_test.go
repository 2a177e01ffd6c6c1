//go:build linux

package pgbench

import (
	"syscall"
	"testing"
	"time"

	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// BenchmarkLive measures plinth's own CPU time for each transaction while pgbench runs, at
// about 20,000 transactions a second where the machine is able to.
func BenchmarkLive(b *testing.B) {
	s, d := shared.get(b), newest(b)
	for b.Loop() {
		job := newJob(b, s)
		job.Cell.Clients, job.Cell.Rate = 8, 20_000
		job.Experiment.Duration = unit.Duration(3 * time.Second)
		before := cpuTime(b)
		o, err := d.Drive(b.Context(), launch.NewLocal(), job)
		if err != nil {
			b.Fatal(err)
		}
		used := cpuTime(b) - before
		b.ReportMetric(float64(used.Nanoseconds())/float64(o.Result.Transactions), "cpu-ns/transaction")
		b.ReportMetric(o.Result.TPS, "transactions/s")
		b.ReportMetric(100*used.Seconds()/3, "cpu-%")
	}
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
