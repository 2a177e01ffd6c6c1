package pgbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

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
	alarmed bool         // pgbench was told that the window is over, and still ran
	silent  atomic.Int32 // threads whose log has not begun

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
	r.silent.Store(int32(len(streams)))
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
	case errors.As(logErr, new(pipeError)):
		return logErr
	}
	if err := failure(status, r.complaint.String()); err != nil {
		return err
	}
	return logErr
}
