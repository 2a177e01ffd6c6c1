//go:build linux && measure

package redisload

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/measuretest"
	"plinth/internal/unit"
)

// TestMeasureStall stops the server for two seconds at a set rate: what was due meanwhile
// must show in the percentiles. That is a third of all requests: p99 lies 3 % below the
// stall's length.
func TestMeasureStall(t *testing.T) {
	s := startServer(t)
	measuretest.AskTimes(t, 3, "What does a run record when the server stops for 2 s out of 6 (open loop)?", func(m *measuretest.M) {
		o := mustDrive(m, newJob(m, s.uri(), func(j *driver.Job) {
			j.Experiment.Duration = unit.Duration(6 * time.Second)
			j.Cell.Rate = 500
			j.Begun = func(at time.Time) {
				time.AfterFunc(time.Until(at.Add(time.Second)), func() { _ = s.process.Signal(syscall.SIGSTOP) })
				time.AfterFunc(time.Until(at.Add(3*time.Second)), func() { _ = s.process.Signal(syscall.SIGCONT) })
			}
		}))
		m.AtLeast("99th percentile of latency", float64(o.Result.Latency.P99)/1e6, "ms", 1800)
		m.AtLeast("slowest request", float64(o.Result.Latency.Max)/1e6, "ms", 1900)
		m.AtLeast("requests", float64(o.Result.Transactions), "", 2500)
		m.AtMost("requests in the slowest second", slices.Min(o.Points.Columns[1].Values), "", 100)
	})
}

func TestMeasureOpenLoop(t *testing.T) {
	s := startServer(t)
	measuretest.Ask(t, "How many requests are completed in 3 s at a rate of 1000 per second?", func(m *measuretest.M) {
		o := mustDrive(m, newJob(m, s.uri(), func(j *driver.Job) {
			j.Experiment.Duration = unit.Duration(3 * time.Second)
			j.Cell = experiment.Cell{Clients: 9, Threads: 2, Rate: 1000}
		}))
		m.Between("requests", float64(o.Result.Transactions), "", 2700, 3300)
	})
}
