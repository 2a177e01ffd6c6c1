package pgbench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
)

// decode reads the log of every thread until pgbench has exited. The channel returns the
// first error of each; reading continues after an error, because pgbench would wait forever
// for room in a full pipe.
func (r *run) decode(p launch.Process) <-chan error {
	errs := make([]error, len(r.ledger.streams))
	var readers sync.WaitGroup
	for i, s := range r.ledger.streams {
		readers.Go(func() { errs[i] = r.read(p, i, s) })
	}
	done := make(chan error, 1)
	go func() {
		readers.Wait()
		done <- errors.Join(errs...)
	}()
	return done
}

// pipeError means that a log can no longer be read. pgbench, which would wait forever for a
// reader, was stopped.
type pipeError struct{ error }

func unreadable(p launch.Process, err error) error {
	return errors.Join(pipeError{fmt.Errorf("cannot read pgbench's log: %w", err)}, p.Stop())
}

func (r *run) read(p launch.Process, i int, s *stream) error {
	log, err := p.Pipe(i)
	if err != nil {
		return unreadable(p, err)
	}
	defer log.Close()
	r.gauges[i] = newGauge(log)
	buf, breath := make([]byte, 64<<10), breath{capacity: r.gauges[i].capacity}
	for {
		n, readErr := log.Read(buf)
		r.gauges[i].after(n, len(buf), time.Now())
		if n > 0 && err == nil {
			err = r.piece(i, s, buf[:n])
		}
		switch {
		case readErr == nil && n == len(buf): // more to read
		case readErr == nil:
			rest(p, breath.after(n))
		case !errors.Is(readErr, io.EOF):
			return unreadable(p, readErr)
		case err != nil:
			return err
		default:
			return r.ledger.finish(s)
		}
	}
}

// rest waits for the next tick, or until the program has exited.
func rest(p launch.Process, length time.Duration) {
	if length == 0 {
		return
	}
	timer := time.NewTimer(watch.UntilTick(length))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.Done():
	}
}

func (r *run) piece(i int, s *stream, piece []byte) error {
	arrived := time.Now()
	if r.keep != nil {
		if _, err := r.keep[i].Write(piece); err != nil {
			return fmt.Errorf("cannot keep the transaction log: %w", err)
		}
	}
	first := s.lines == 0
	elapsed, err := r.ledger.add(s, piece)
	if err != nil || s.lines == 0 {
		return err
	}
	r.horizon.atMost(arrived.Add(-elapsed))
	if first && r.silent.Add(-1) == 0 {
		// Every thread has opened its pipe, so the names are no longer needed: if plinth is
		// killed from here on, nothing is left behind.
		_ = os.RemoveAll(r.pipes)
	}
	return nil
}

// line takes one line of pgbench's standard error.
func (r *run) line(line string) {
	point, ended, ok := parseProgress(line)
	if !ok {
		r.complaint.line(line)
		if strings.HasPrefix(line, "pgbench:") && strings.Contains(line, " aborted") {
			select {
			case r.aborted <- struct{}{}:
			default:
			}
		}
		return
	}
	if ended { // at least one took the mean latency or longer
		r.horizon.atMost(time.Now().Add(-time.Duration(point.LatencyMS * float64(time.Millisecond))))
	}
	if r.job.Live != nil {
		r.job.Live(point)
	}
}
