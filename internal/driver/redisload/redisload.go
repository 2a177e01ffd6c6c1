// Package redisload drives Redis with plinth's own load generator (redisload/generator): plinth
// starts itself as another process, so that the generator's CPU time is counted separately. A
// latency begins when a request is written and ends when its reply arrives. With a rate, it begins
// when the request is due, so a stall of the server shows in all requests that wait for it. With
// "connect: each", it begins when the connection is opened.
package redisload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/redisload/generator"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// Main turns this process into a load generator, and then never returns, if it was started
// as one. It must be called first in main and in TestMain of a program that drives Redis,
// after launch.GuardMain.
func Main() { generator.Main() }

// selfPath is the program of the process that opens it.
const selfPath = "/proc/self/exe"

// Driver drives runs with plinth's own load generator. It keeps no state between runs.
type Driver struct{ version string }

// New returns a driver; version is plinth's own.
func New(version string) *Driver {
	if version == "" {
		version = "own"
	}
	return &Driver{version}
}

// stderrFile is the load generator's standard error, among the raw output.
const stderrFile = "stderr.txt"

// Drive runs the load once and returns what was measured.
//
// A request belongs to the second in which its reply arrived. The measured window begins
// one warm-up after the load and lasts for the experiment's duration, by the load
// generator's own clock. With a number of requests in place of a duration, those sent after
// the warm-up are measured, and the window lasts until the last of them was answered.
//
// Points has whole seconds only: where warm-up or window end within a second, that second
// has no row, but the window's part of it is in the result and in the histogram log.
//
// An error is the server's or the system's, in its words, or ctx's.
func (d *Driver) Drive(ctx context.Context, launcher launch.Launcher, job driver.Job) (*driver.Outcome, error) {
	config, err := newConfig(job)
	if err != nil {
		return nil, fmt.Errorf("cannot generate the load: %w", err)
	}
	arguments, err := config.Arguments()
	if err != nil {
		return nil, err
	}
	log, err := job.Keep.CreateHistogramLog()
	if err != nil {
		return nil, fmt.Errorf("cannot write the histogram log: %w", err)
	}
	defer log.Close()
	stderr, err := job.Keep.CreateRaw(stderrFile)
	if err != nil {
		return nil, fmt.Errorf("cannot write the raw output: %w", err)
	}
	defer stderr.Close()
	r := newRun(job, config, log)
	command := launch.Command{Path: selfPath, Args: arguments, Env: job.Env.Environ(), Dir: "/",
		Stdout: r.decoder, Stderr: stderr}
	if err := r.drive(ctx, launcher, command); err != nil {
		return nil, err
	}
	o := &driver.Outcome{
		Driver: record.Driver{Program: "plinth", Version: d.version, Command: append([]string{"plinth"}, arguments...)},
		Result: r.result(), Points: r.cols.points, KeyReads: r.total.Reads,
		Problems: unfinished(r.end, r.config, r.total.Longest), Warnings: r.warnings(),
	}
	if r.nanos > 0 {
		o.Begin, o.End = r.window, r.window.Add(time.Duration(r.nanos))
	}
	return o, nil
}

// drive starts the load generator and waits for its end.
func (r *run) drive(ctx context.Context, launcher launch.Launcher, c launch.Command) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := launcher.Start(c)
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		return errors.Join(ctx.Err(), p.Stop())
	case <-r.broken: // its output cannot be read
		_ = p.Stop()
	}
	status, err := p.Wait()
	switch {
	case r.err != nil:
		return r.err
	case r.complaint.Error != "":
		err = errors.New("cannot finish the run: " + r.complaint.Error)
		if r.complaint.Hint != "" {
			err = hint.Wrap(err, r.complaint.Hint)
		}
		return err
	case err != nil:
		return fmt.Errorf("cannot finish the run: %w", err)
	case status.Signal != nil:
		return fmt.Errorf("cannot finish the run: the load generator was terminated by a signal: %s", status.Signal)
	case status.Code != 0 || !r.ended || !r.decoder.Whole():
		return fmt.Errorf("cannot finish the run: the load generator ended with exit code %d and no message; see %s", status.Code, stderrFile)
	}
	return r.log.Close()
}
