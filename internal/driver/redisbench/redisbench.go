// Package redisbench drives redis-benchmark, versions 6 to 8, and valkey-benchmark: the load
// generators whose numbers are widely known. All measurements come from their output: a
// progress line every 250 ms, and a report at the end.
//
// Limitations of these programs (redis-benchmark.c, 6.2 to 8): a latency begins when a
// request is written and ends when the first bytes of its reply arrive. Latencies are
// counted in steps of 8 µs; those longer than 3 s count as 3 s. Before 6.2, the steps were
// 1 µs up to 2 ms, and 1 ms above. The loop is closed: while a server stalls, no requests
// are sent, and so hardly any latencies are counted (coordinated omission).
package redisbench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/driver"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
)

// silence is how long redis-benchmark may print nothing. It prints a line each 250 ms,
// however slow the server is.
const silence = 30 * time.Second

// Driver drives runs with one redis-benchmark. It keeps no state between runs.
type Driver struct {
	program Program
	silence time.Duration
}

// New returns a driver that uses a program found by FindBenchmark.
func New(p Program) *Driver { return &Driver{p, silence} }

// Drive runs redis-benchmark once, with one test, and returns what it printed.
//
// The window is the whole load: redis-benchmark has no warm-up. Points has whole seconds
// only, interpolated from its lines of progress; these have no percentiles, and neither has
// Points. The histogram log has one interval: the window.
//
// An error is redis-benchmark's own or, if the server refused a request, in the server's
// words; or ctx's. A report that does not match the job is a Problem.
func (d *Driver) Drive(ctx context.Context, launcher launch.Launcher, job driver.Job) (*driver.Outcome, error) {
	args, err := d.arguments(job)
	if err != nil {
		return nil, err
	}
	r := &run{job: job, program: d.program, command: append([]string{d.program.Path}, args...), watch: newWatch(job)}
	// It holds no secret: passwords are rejected.
	text := fmt.Sprintf("# %s %s\n%s\n", d.program.Name, d.program.Version, strings.Join(r.command, " "))
	if _, err := job.Keep.WriteRaw("command.txt", text); err != nil {
		return nil, fmt.Errorf("cannot keep the command line: %w", err)
	}
	if err := r.drive(ctx, launcher, args, d.silence); err != nil {
		return nil, err
	}
	return r.outcome()
}

// run is one invocation of redis-benchmark.
type run struct {
	job     driver.Job
	program Program
	command []string
	watch   *watch // its standard output
	words   words  // its standard error
}

// drive runs redis-benchmark to its end.
func (r *run) drive(ctx context.Context, launcher launch.Launcher, args []string, silence time.Duration) error {
	stdout, err := r.job.Keep.CreateRaw("output.txt")
	if err != nil {
		return fmt.Errorf("cannot write the raw output: %w", err)
	}
	defer stdout.Close()
	stderr, err := r.job.Keep.CreateRaw("stderr.txt")
	if err != nil {
		return fmt.Errorf("cannot write the raw output: %w", err)
	}
	defer stderr.Close()
	if err := host.Sleep(ctx, time.Until(r.job.Window)); err != nil {
		return err
	}
	p, err := launcher.Start(launch.Command{
		Path: r.program.Path, Args: args, Env: environment(r.job.Env),
		Stdout: &lines{file: stdout, each: r.watch.line},
		Stderr: &lines{file: stderr, each: r.words.line},
	})
	if err != nil {
		return err
	}
	if err := r.await(ctx, p, silence); err != nil {
		return err
	}
	status, err := p.Wait()
	if err != nil {
		return fmt.Errorf("cannot finish the run: %w", err)
	}
	return r.failure(status)
}

// await waits until redis-benchmark has exited, and stops it if it hangs. Version 7 may
// write without end to a connection that its server closed (cliWriteConn returns an error,
// and errno is an earlier EAGAIN), and then prints nothing more.
func (r *run) await(ctx context.Context, p launch.Process, silence time.Duration) error {
	for {
		select {
		case <-p.Done():
			return nil
		case <-ctx.Done():
			return errors.Join(ctx.Err(), p.Stop())
		case <-r.watch.refused: // it would continue, and count refusals as answers
			_ = p.Stop()
			return nil
		case <-r.watch.said:
		case <-time.After(silence):
			return errors.Join(hint.Errorf("check whether the server is still running: redis-benchmark hangs when it is not",
				"cannot finish the run: %s hangs: it printed nothing for %s", r.program.Name, silence), p.Stop())
		}
	}
}

// environment returns the job's, without the password, which redis-benchmark cannot use.
func environment(v launch.Variables) []string {
	return slices.DeleteFunc(v.Environ(), func(pair string) bool { return strings.HasPrefix(pair, PasswordVariable+"=") })
}
