//go:build linux

package pgbench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// fake returns a program that writes the given log and summary, for what a real pgbench
// does not do on demand.
func fake(t *testing.T, log, summary string) *Driver {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"log": log, "summary": summary} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!/bin/sh\ntrap '' ALRM\nwhile [ \"$1\" != --log-prefix ]; do shift; done\n" +
		"cat " + dir + "/log > \"$2.$$\"\ncat " + dir + "/summary\n"
	path := filepath.Join(dir, "pgbench")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return New(path, "15.0")
}

func fakeJob(t *testing.T) driver.Job {
	dir := t.TempDir()
	return driver.Job{
		Experiment: &experiment.Experiment{Protocol: "simple", MaxTries: 1, Duration: unit.Duration(time.Second)},
		Workload:   builtin("select-only"), Cell: experiment.Cell{Clients: 1, Threads: 1},
		Keep: drivertest.In(t, dir), Scratch: dir,
	}
}

func TestUntrustworthyRuns(t *testing.T) {
	whole := "0 1 500 0 100 0\n0 2 500 0 100 500000\n0 3 500 0 101 100000\n"
	printed := func(n int, mean string) string {
		return fmt.Sprintf("number of transactions actually processed: %d\nlatency average = %s ms\n", n, mean)
	}
	for name, c := range map[string]struct {
		log, summary string
		rules        string
	}{
		"trustworthy":     {whole, printed(3, "0.500"), ""},
		"counts differ":   {whole, printed(4, "0.500"), "log-disagrees"},
		"means differ":    {whole, printed(3, "0.600"), "log-disagrees"},
		"no summary":      {whole, "", "log-disagrees"},
		"ended too early": {"0 1 500 0 100 0\n", printed(1, "0.500"), "window-not-covered"},
		"clock set back":  {whole + "0 4 500 0 90 0\n", printed(4, "0.500"), "log-clock"},
		"nothing at all":  {"", "number of transactions actually processed: 0\n", "window-not-covered nothing-measured"},
	} {
		t.Run(name, func(t *testing.T) {
			launcher := newSpy()
			o, err := fake(t, c.log, c.summary).Drive(t.Context(), launcher, fakeJob(t))
			if err != nil {
				t.Fatal(err)
			}
			launcher.noPipesLeft(t)
			var rules []string
			for _, p := range o.Problems {
				rules = append(rules, p.Rule)
			}
			if got := strings.Join(rules, " "); got != c.rules {
				t.Errorf("problems %v, want %q", o.Problems, c.rules)
			}
		})
	}
}

func TestUnreadableLog(t *testing.T) {
	d := fake(t, "0 1 500 0 100 0\nnonsense\n"+strings.Repeat("0 1 500 0 100 0\n", 200_000), "")
	launcher := newSpy()
	_, err := d.Drive(t.Context(), launcher, fakeJob(t))
	if err == nil || !strings.Contains(err.Error(), `transaction log of thread 0, line 2: not a line of a transaction log: "nonsense"`) {
		t.Errorf("got %v", err)
	}
	launcher.noPipesLeft(t)
}

func TestWarmupOfTransactions(t *testing.T) {
	job := fakeJob(t)
	job.Experiment.Duration, job.Experiment.Transactions = 0, 3
	job.Experiment.Warmup = unit.Duration(200 * time.Millisecond)
	d := fake(t, "0 1 500 0 100 0\n0 2 500 0 100 500000\n0 3 500 0 101 100000\n",
		"number of transactions actually processed: 3/3\nlatency average = 0.500 ms\n")
	o, err := d.Drive(t.Context(), launch.NewLocal(), job)
	if err != nil || o.Problems != nil {
		t.Fatal(err, o)
	}
	if o.Result.Transactions != 2 || o.Result.Duration != 0.9005 {
		t.Errorf("result %+v", o.Result)
	}
	if len(o.Warnings) != 1 || o.Warnings[0].Text != "2 of 3 transactions are measured: the others ended during the warm-up" {
		t.Errorf("warnings %v", o.Warnings)
	}
}

// brokenPipe cannot open the log of the second thread.
type brokenPipe struct{ launch.Process }

func (b brokenPipe) Pipe(i int) (io.ReadCloser, error) {
	if i == 1 {
		return nil, errors.New("out of descriptors")
	}
	return b.Process.Pipe(i)
}

type breaking struct{ launch.Launcher }

func (b breaking) Start(c launch.Command) (launch.Process, error) {
	p, err := b.Launcher.Start(c)
	return brokenPipe{p}, err
}

// TestPipeCannotBeOpened has a real pgbench, which would wait forever for a reader of its
// log.
func TestPipeCannotBeOpened(t *testing.T) {
	launcher := newSpy()
	_, err := newest(t).Drive(t.Context(), breaking{launcher}, newJob(t, shared.get(t)))
	if err == nil || err.Error() != "cannot read pgbench's log: out of descriptors" {
		t.Errorf("got %v", err)
	}
	launcher.noPipesLeft(t)
}

func TestNoProgram(t *testing.T) {
	launcher := newSpy()
	_, err := New("/nonexistent/pgbench", "15.0").Drive(t.Context(), launcher, fakeJob(t))
	if err == nil || !strings.Contains(err.Error(), "/nonexistent/pgbench") {
		t.Errorf("got %v", err)
	}
	launcher.noPipesLeft(t)
}

func TestUnwritableResults(t *testing.T) {
	job := fakeJob(t)
	drivertest.Of(job).HistogramLog = filepath.Join(t.TempDir(), "none", "latency.hlog")
	if _, err := fake(t, "", "").Drive(t.Context(), launch.NewLocal(), job); err == nil || !strings.HasPrefix(err.Error(), "cannot write the raw output: ") {
		t.Errorf("got %v", err)
	}
}
