//go:build linux

package pgbench

import (
	"fmt"
	"math"
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
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// backends are the processes of the server, or only those that serve clients.
func (s *server) backends(clients bool) (pids []int) {
	parent := strconv.Itoa(s.postgres.Process.Pid)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, _ := os.ReadFile(path) // it may have ended
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

// stall stops processes for a while, and returns when they go on.
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

// stalled drives a run in which some processes are stopped for a while once it
// has shown its first second.
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
	o, err := newest(t).Drive(t.Context(), host.NewLocal(), job)
	during.Wait()
	if err != nil {
		t.Fatal(err)
	}
	l := o.Result.Latency
	t.Logf("%s loop: %d transactions, p50 %.3f s, p99 %.3f s, maximum %.3f s", o.Result.Loop, o.Result.Transactions,
		float64(l.P50)/1e9, float64(l.P99)/1e9, float64(l.Max)/1e9)
	return o
}

// TestStalledServer is why a rate is worth setting: a server that stops for 2 s
// out of 5 delays two transactions of five. Clients that wait for it ask nothing
// meanwhile, and so hide it.
func TestStalledServer(t *testing.T) {
	for _, c := range []struct {
		loop     string
		rate     float64
		from, to time.Duration // of p99
		least    int64         // transactions
	}{
		{"open", 200, time.Second, 3 * time.Second, 700},
		{"closed", 0, 0, 200 * time.Millisecond, 2000},
	} {
		t.Run(c.loop, func(t *testing.T) {
			t.Parallel()
			s := ownServer(t)
			job := newJob(t, s)
			job.Cell.Clients, job.Cell.Rate = 4, c.rate
			job.Experiment.Duration = unit.Duration(5 * time.Second)
			r := stalled(t, job, func() []int { return s.backends(false) }, 2*time.Second)
			noProblems(t, r)
			if r.Result.Loop != c.loop || r.Result.Transactions < c.least {
				t.Errorf("%s loop of %d transactions", r.Result.Loop, r.Result.Transactions)
			}
			if p99 := time.Duration(r.Result.Latency.P99); p99 < c.from || p99 > c.to {
				t.Errorf("p99 is %s, want %s to %s", p99, c.from, c.to)
			}
			if longest := time.Duration(r.Result.Latency.Max); longest < 1900*time.Millisecond {
				t.Errorf("the slowest transaction took %s", longest)
			}
			if tps := column(t, r, "tps"); slices.Min(tps) != 0 {
				t.Errorf("no second without a transaction: %v", tps)
			}
		})
	}
}

func noProblems(t *testing.T, o *driver.Outcome) {
	t.Helper()
	for _, p := range o.Problems {
		t.Errorf("problem: %s: %s", p.Rule, p.Text)
	}
}

// TestStoppedBackend stops one client's backend. Within the window its
// transaction is there to be seen; past the end no number would show it.
func TestStoppedBackend(t *testing.T) {
	for _, c := range []struct {
		name     string
		length   time.Duration
		longest  time.Duration // of the result, at least
		problems string
	}{
		{"within the window", 1500 * time.Millisecond, 1400 * time.Millisecond, ""},
		{"past its end", 4 * time.Second, 0, "unfinished"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ownServer(t)
			job := newJob(t, s)
			job.Experiment.Duration = unit.Duration(4 * time.Second)
			o := stalled(t, job, func() []int { return s.backends(true)[:1] }, c.length)
			var rules []string
			for _, p := range o.Problems {
				rules = append(rules, p.Rule)
				t.Log(p.Text)
			}
			if got := strings.Join(rules, " "); got != c.problems {
				t.Errorf("problems %v, want %q", o.Problems, c.problems)
			}
			p99, longest := time.Duration(o.Result.Latency.P99), time.Duration(o.Result.Latency.Max)
			if p99 > 200*time.Millisecond || longest < c.longest || c.longest == 0 && longest > time.Second {
				t.Errorf("p99 is %s, the slowest took %s", p99, longest)
			}
			t.Logf("by second: %s", bySecond(t, o))
			if slices.Min(column(t, o, "tps")) == 0 {
				t.Error("the other client has stopped, too")
			}
		})
	}
}

// bySecond shows a run as its points do.
func bySecond(t *testing.T, o *driver.Outcome) string {
	t.Helper()
	var words []string
	longest := column(t, o, "latency_max_ns")
	for i, tps := range column(t, o, "tps") {
		words = append(words, fmt.Sprintf("%.0f TPS at most %.3f s", tps, math.Max(longest[i], 0)/1e9))
	}
	return strings.Join(words, ", ")
}
