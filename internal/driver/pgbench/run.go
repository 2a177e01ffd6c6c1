package pgbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"plinth/internal/driver"
	"plinth/internal/host"
	"plinth/internal/record"
)

// run is one invocation of pgbench.
type run struct {
	job     driver.Job
	names   []string // of the scripts
	driver  record.Driver
	command host.Command
	pipes   string // the private directory of the log's pipes

	stdout, stderr, hlogFile *os.File
	keep                     []*os.File // the verbatim log, a file for each thread

	page    *page
	ledger  *ledger
	horizon *horizon
	alarmed bool // pgbench was told that the window is over, and still ran

	complaint complaint
	aborted   chan struct{} // a client was aborted
}

// open opens the files and makes what decodes the log.
func (r *run) open() (err error) {
	create := func(path string) (f *os.File) {
		if err == nil {
			f, err = os.Create(path)
		}
		return f
	}
	r.stdout = create(filepath.Join(r.job.RawDir, "summary.txt"))
	r.stderr = create(filepath.Join(r.job.RawDir, "stderr.txt"))
	r.hlogFile = create(r.job.HistogramLog)
	e, cell := r.job.Experiment, r.job.Cell
	var streams []*stream
	for i := range threads(r.job) {
		streams = append(streams, &stream{thread: i, form: form{lag: cell.Rate > 0, retries: e.MaxTries > 1}})
		if e.KeepLog {
			r.keep = append(r.keep, create(filepath.Join(r.job.RawDir, fmt.Sprintf("transactions-%d.log", i))))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write the raw output: %w", err)
	}
	w := window{warmup: e.Warmup.Std().Microseconds()}
	if e.Transactions == 0 {
		w.length = e.Duration.Std().Microseconds()
	}
	r.page = newPage(r.names, w.warmup, cell.Rate > 0, newHlog(r.hlogFile))
	r.ledger = newLedger(w, e.LatencyLimit.Std().Microseconds(), streams, r.page, r.job.RawDir)
	r.horizon = newHorizon(w)
	return nil
}

// release closes and removes what only the run itself needed.
func (r *run) release() {
	for _, f := range append(r.keep, r.stdout, r.stderr, r.hlogFile) {
		if f != nil {
			f.Close()
		}
	}
	_ = os.RemoveAll(r.pipes)
}

// drive runs pgbench to its end and decodes its log meanwhile.
func (r *run) drive(ctx context.Context, launcher host.Launcher) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := launcher.Start(r.command)
	if err != nil {
		return err
	}
	decoded := r.decode(p)
	stopped := r.watch(ctx, p)
	status, err := p.Wait()
	logErr := <-decoded
	switch {
	case stopped != nil:
		return stopped
	case err != nil:
		return fmt.Errorf("cannot finish the run: %w", err)
	}
	if err := failure(status, r.complaint.String()); err != nil {
		return err
	}
	return logErr
}

// watch waits for pgbench's end and brings it about when the window is over. It
// returns once pgbench has ended or was told to.
func (r *run) watch(ctx context.Context, p host.Process) error {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	aborted, changed := r.aborted, r.horizon.changed
	for {
		select {
		case <-p.Done():
			return nil
		case <-ctx.Done():
			return errors.Join(ctx.Err(), p.Stop())
		case <-changed:
			timer.Reset(r.horizon.left())
		case <-aborted: // the other clients would go on to no avail
			aborted, changed = nil, nil
			_ = alarm(p)
			timer.Reset(lastWords)
		case <-timer.C:
			switch {
			case aborted == nil:
				return p.Stop()
			case r.alarmed:
				return errors.Join(errNoEnd, p.Stop())
			}
			changed = nil
			r.alarmed = alarm(p) == nil
			timer.Reset(drainTime)
		}
	}
}

// alarm tells pgbench that its time is up. Its -T is an alarm(2), whose handler
// has every client finish its transaction; the summary follows as usual.
func alarm(p host.Process) error { return p.Signal(syscall.SIGALRM) }

const (
	// drainTime is how long the last transactions may take to end.
	drainTime = 5 * time.Minute

	// lastWords is how long the clients that are left may take once one of them
	// was aborted: theirs may be the better explanation.
	lastWords = 2 * time.Second
)

var errNoEnd = fmt.Errorf("cannot finish the run: transactions did not end within %s after the measurement", drainTime)

// decode reads the log of every thread until pgbench has ended. The first error
// follows on the channel; reading goes on after one, because pgbench would wait
// for ever for room in a pipe that nobody reads.
func (r *run) decode(p host.Process) <-chan error {
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

func (r *run) read(p host.Process, i int, s *stream) error {
	log, err := p.Pipe(i)
	if err != nil {
		return err
	}
	defer log.Close()
	buf := make([]byte, 64<<10)
	for {
		n, readErr := log.Read(buf)
		if n > 0 && err == nil {
			err = r.piece(i, s, buf[:n])
		}
		switch {
		case readErr != nil && err != nil:
			return err
		case errors.Is(readErr, io.EOF):
			return r.ledger.finish(s)
		case readErr != nil:
			return fmt.Errorf("cannot read pgbench's log: %w", readErr)
		}
	}
}

func (r *run) piece(i int, s *stream, piece []byte) error {
	arrived := time.Now()
	if r.keep != nil {
		if _, err := r.keep[i].Write(piece); err != nil {
			return fmt.Errorf("cannot keep the transaction log: %w", err)
		}
	}
	elapsed, err := r.ledger.add(s, piece)
	if err == nil && s.lines > 0 {
		r.horizon.atMost(arrived.Add(-elapsed))
	}
	return err
}

// line takes one line of pgbench's standard error.
func (r *run) line(line string) {
	point, ended, ok := parseProgress(line)
	if !ok {
		r.complaint.line(line)
		if strings.HasPrefix(line, "pgbench: ") && strings.Contains(line, " aborted") {
			select {
			case r.aborted <- struct{}{}:
			default:
			}
		}
		return
	}
	if ended { // one of them took the mean latency or longer
		r.horizon.atMost(time.Now().Add(-time.Duration(point.LatencyMS * float64(time.Millisecond))))
	}
	if r.job.Live != nil {
		r.job.Live(point)
	}
}
