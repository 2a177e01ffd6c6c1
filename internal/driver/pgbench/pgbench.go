// Package pgbench drives pgbench, PostgreSQL's own load generator, versions 13 to 18. All
// measurements come from pgbench's per-transaction log, which is parsed while pgbench runs. The
// summary that pgbench prints is kept, too, and must agree with the log.
package pgbench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/driver"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// Driver drives runs with one pgbench program. It keeps no state between runs.
type Driver struct {
	path, version string
}

// New returns a driver that uses the pgbench at path, of the given version ("15.18").
func New(path, version string) *Driver { return &Driver{path, version} }

// Drive runs pgbench once and returns what was measured.
//
// A transaction belongs to the second in which it ended. The measured window begins one
// warm-up after the first transaction began (was due, with a rate) and lasts for the
// experiment's duration; its seconds follow the log's own clock, not pgbench's -T, which
// starts before it connects. With a number of transactions in place of a duration, the
// window lasts until the last of them ended, and those that ended during a warm-up are not
// measured.
//
// Points has whole seconds only: where warm-up or duration end within a second, that second
// has no row, but the window's part of it is in the result and in the histogram log.
//
// An error is pgbench's own, in its words, or ctx's. If the run completed but its log does
// not agree with pgbench's output, or does not cover the window, the outcome has Problems.
func (d *Driver) Drive(ctx context.Context, launcher launch.Launcher, job driver.Job) (*driver.Outcome, error) {
	r, err := d.prepare(job)
	if err != nil {
		return nil, err
	}
	defer r.release()
	if err := r.drive(ctx, launcher); err != nil {
		return nil, err
	}
	return r.outcome()
}

// prepare creates everything that a run needs before pgbench starts.
func (d *Driver) prepare(job driver.Job) (*run, error) {
	scripts, err := scriptOptions(job.Workload, job.Keep)
	if err != nil {
		return nil, err
	}
	pipes, err := os.MkdirTemp(job.Scratch, "log-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for pgbench's log: %w", err)
	}
	r := &run{job: job, pipes: pipes, names: scriptLabels(job.Workload), aborted: make(chan struct{}, 1)}
	prefix := filepath.Join(pipes, "log")
	args, err := arguments(job, d.version, prefix, scripts)
	r.driver = record.Driver{
		Program: "pgbench", Version: d.version, Command: append([]string{d.path}, args...),
	}
	if err == nil {
		err = keepCommand(r.driver, job.Keep)
	}
	if err == nil {
		err = r.open()
	}
	if err != nil {
		r.release()
		return nil, err
	}
	// pgbench opens PREFIX.PID for the log of its first thread, PREFIX.PID.N for those of
	// the others.
	logs := []string{prefix + ".%p"}
	for i := 1; i < threads(job); i++ {
		logs = append(logs, fmt.Sprintf("%s.%%p.%d", prefix, i))
	}
	r.command = launch.Command{
		Path: d.path, Args: args, Env: withConnectTimeout(job.Env.Environ()),
		Stdout: r.stdout, Stderr: &lines{file: r.stderr, each: r.line},
		Pipes: logs,
	}
	return r, nil
}

// connectTimeout is how long a client may take to connect. Without a limit, pgbench would wait
// forever for a server that accepts connections but does not answer, such as one that was
// stopped (SIGSTOP).
const connectTimeout = "PGCONNECT_TIMEOUT=120" // seconds; a busy server may take long

func withConnectTimeout(env []string) []string {
	name, _, _ := strings.Cut(connectTimeout, "=")
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
		return env // the user's own
	}
	return append(env, connectTimeout)
}
