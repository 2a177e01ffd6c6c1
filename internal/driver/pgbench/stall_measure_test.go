//go:build linux && measure

package pgbench

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/measuretest"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// backends returns the processes of the server, or only those that serve clients.
func (s *server) backends(clients bool) (pids []int) {
	parent := strconv.Itoa(s.postgres.Process.Pid)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, _ := os.ReadFile(path) // it may have exited
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) < 2 || fields[1] != parent {
			continue
		}
		title, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && (!clients || strings.Contains(string(title), "[local]")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stall stops processes for a while, and returns when they continue.
func stall(pids []int, length time.Duration) error {
	defer func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}()
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			return err
		}
	}
	<-time.After(length)
	return nil
}

// stalled drives a run in which some processes are stopped for a while after its first
// second.
func stalled(t *testing.T, job driver.Job, victims func() []int, length time.Duration) *driver.Outcome {
	t.Helper()
	var once sync.Once
	var during sync.WaitGroup
	job.Live = func(record.Point) {
		once.Do(func() {
			during.Go(func() {
				pids := victims()
				if err := stall(pids, length); err != nil || len(pids) == 0 {
					t.Errorf("stopping %v: %v", pids, err)
				}
			})
		})
	}
	o, err := newest(t).Drive(t.Context(), launch.NewLocal(), job)
	during.Wait()
	if err != nil {
		t.Fatal(err)
	}
	l := o.Result.Latency
	t.Logf("%s loop: %d transactions, p50 %.3f s, p99 %.3f s, maximum %.3f s", o.Result.Loop, o.Result.Transactions,
		float64(l.P50)/1e9, float64(l.P99)/1e9, float64(l.Max)/1e9)
	return o
}

// TestMeasureStalledServer shows why a rate is worth setting: a server that stops for 2 s
// out of 5 delays two transactions of five. Clients that wait for it send nothing
// meanwhile, and so hide the stall: coordinated omission.
func TestMeasureStalledServer(t *testing.T) {
	for _, c := range []struct {
		loop     string
		rate     float64
		from, to time.Duration // of p99
		least    float64       // transactions
	}{
		{"open", 200, time.Second, 3 * time.Second, 700},
		{"closed", 0, 0, 200 * time.Millisecond, 2000},
	} {
		t.Run(c.loop, func(t *testing.T) {
			s := ownServer(t)
			measuretest.AskTimes(t, 3, "What does a run record when the server stops for 2 s out of 5 ("+c.loop+" loop)?", func(m *measuretest.M) {
				job := newJob(m, s)
				job.Cell.Clients, job.Cell.Rate = 4, c.rate
				job.Experiment.Duration = unit.Duration(5 * time.Second)
				o := stalled(m.T, job, func() []int { return s.backends(false) }, 2*time.Second)
				m.AtLeast("transactions", float64(o.Result.Transactions), "", c.least)
				m.Between("99th percentile of latency", float64(o.Result.Latency.P99)/1e6, "ms", milliseconds(c.from), milliseconds(c.to))
				m.AtLeast("slowest transaction", float64(o.Result.Latency.Max)/1e6, "ms", 1900)
				m.AtMost("transactions in the slowest second", slices.Min(column(m.T, o, "tps")), "", 0)
				m.AtMost("problems", float64(len(o.Problems)), "", 0)
			})
		})
	}
}

// TestMeasureStoppedBackend stops one client's backend. Within the window its transaction
// is visible; past the end no number would show it.
func TestMeasureStoppedBackend(t *testing.T) {
	for _, c := range []struct {
		name        string
		length      time.Duration
		least, most float64 // of the slowest transaction, in ms
		problems    float64
		what        string
	}{
		{"within the window", 1500 * time.Millisecond, 1400, 4000, 0, "problems"},
		{"until after the window", 4 * time.Second, 0, 1000, 1, "problems (unfinished)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ownServer(t)
			measuretest.AskTimes(t, 3, "What does a run record when a backend stops "+c.name+"?", func(m *measuretest.M) {
				job := newJob(m, s)
				job.Experiment.Duration = unit.Duration(4 * time.Second)
				o := stalled(m.T, job, func() []int { return s.backends(true)[:1] }, c.length)
				m.Between(c.what, float64(len(o.Problems)), "", c.problems, c.problems)
				m.AtMost("99th percentile of latency", float64(o.Result.Latency.P99)/1e6, "ms", 200)
				m.Between("slowest transaction", float64(o.Result.Latency.Max)/1e6, "ms", c.least, c.most)
				m.AtLeast("transactions of the other client in the slowest second", slices.Min(column(m.T, o, "tps")), "", 1)
			})
		})
	}
}

// TestMeasureOpenLoop asks for more than the server can do within the latency limit.
func TestMeasureOpenLoop(t *testing.T) {
	measuretest.Ask(t, "How many transactions per second are due in an open loop at a rate of 300 per second?", func(m *measuretest.M) {
		job := newJob(m, shared.get(m))
		job.Cell.Rate = 300
		job.Experiment.LatencyLimit = unit.Duration(20 * time.Millisecond)
		job.Workload.Scripts = []experiment.Script{{SQL: "SELECT pg_sleep(0.012);"}}
		r := drive(m.T, newest(m), job).Result
		m.Between("transactions due", float64(r.Transactions+r.Skipped)/r.Duration, "/s", 200, 400)
	})
}

// TestMeasureConnectEach verifies the warning connect-not-in-latency: by latency alone,
// clients would do more.
func TestMeasureConnectEach(t *testing.T) {
	measuretest.Ask(t, "When clients connect for each transaction, what share of their time does latency account for?", func(m *measuretest.M) {
		job := newJob(m, shared.get(m))
		job.Experiment.Connect = "each"
		r := drive(m.T, newest(m), job).Result
		m.AtMost("latency, as a share of the clients' time", r.TPS*r.Latency.Mean/1e9/float64(job.Cell.Clients), "", 0.9)
	})
}
