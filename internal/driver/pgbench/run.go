package pgbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"plinth/internal/driver"
	"plinth/internal/driver/latency"
	"plinth/internal/driver/pgbench/txlog"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// run is one invocation of pgbench.
type run struct {
	job     driver.Job
	names   []string // of the scripts
	driver  record.Driver
	command launch.Command
	pipes   string // the private directory of the log's pipes

	stdout, stderr *os.File
	files          []*os.File // all open files
	hlog           *behind
	keep           []*behind // the verbatim log, a file for each thread
	gauges         []*gauge  // of the log's pipes; nil where one cannot be opened

	page    *page
	ledger  *ledger
	horizon *horizon
	alarmed bool         // pgbench was still running at the end of the window, and got SIGALRM
	silent  atomic.Int32 // threads whose log is still empty

	complaint complaint
	aborted   chan struct{} // a client was aborted
}

// Limits of data waiting to be written, in bytes: of the histogram log some minutes; of a
// kept transaction log four seconds at 50,000 transactions a second, for all threads
// together.
const (
	hlogBehind = 1 << 20
	keepBehind = 8 << 20
)

// open opens the files and creates the decoder of the log.
func (r *run) open() error {
	if err := r.openFiles(); err != nil {
		return fmt.Errorf("cannot write the raw output: %w", err)
	}
	e, cell := r.job.Experiment, r.job.Cell
	var streams []*stream
	for i := range threads(r.job) {
		streams = append(streams, &stream{thread: i, form: txlog.Form{Lag: cell.Rate > 0, Retries: e.MaxTries > 1}})
	}
	r.gauges = make([]*gauge, len(streams))
	w := window{warmup: e.Warmup.Std().Microseconds()}
	if !r.job.Window.IsZero() {
		w.agreed = r.job.Window.UnixMicro()
	}
	if e.Transactions == 0 {
		w.length = e.Duration.Std().Microseconds()
	}
	r.page = newPage(r.names, w.warmup, cell.Rate > 0, latency.NewLog(r.hlog))
	r.page.begun = r.job.Begun
	r.ledger = newLedger(w, e.LatencyLimit.Std().Microseconds(), streams, r.page, r.job.Scratch)
	r.horizon = newHorizon(w)
	r.silent.Store(int32(len(streams)))
	return nil
}

func (r *run) openFiles() (err error) {
	create := func(name string) (*os.File, error) {
		f, err := r.job.Keep.CreateRaw(name)
		if err == nil {
			r.files = append(r.files, f)
		}
		return f, err
	}
	if r.stdout, err = create("summary.txt"); err != nil {
		return err
	}
	if r.stderr, err = create("stderr.txt"); err != nil {
		return err
	}
	hlog, err := r.job.Keep.CreateHistogramLog()
	if err != nil {
		return err
	}
	r.files = append(r.files, hlog)
	r.hlog = newBehind(hlog, hlogBehind)
	for i := 0; r.job.Experiment.KeepLog && i < threads(r.job); i++ {
		f, err := create(fmt.Sprintf("transactions-%d.log", i))
		if err != nil {
			return err
		}
		r.keep = append(r.keep, newBehind(f, keepBehind/threads(r.job)))
	}
	return nil
}

// written waits until the logs are written to their files.
func (r *run) written() error {
	if err := r.page.log.Close(); err != nil {
		return err
	}
	if err := r.hlog.Close(); err != nil {
		return fmt.Errorf("cannot write the histogram log: %w", err)
	}
	for _, k := range r.keep {
		if err := k.Close(); err != nil {
			return fmt.Errorf("cannot keep the transaction log: %w", err)
		}
	}
	return nil
}

// release closes and removes what only the run itself needed.
func (r *run) release() {
	for _, b := range append(r.keep, r.hlog) {
		if b != nil {
			_ = b.Close() // reported before, if the run is of any use
		}
	}
	for _, f := range r.files {
		f.Close()
	}
	_ = os.RemoveAll(r.pipes)
}

// drive runs pgbench to its end and decodes its log meanwhile.
func (r *run) drive(ctx context.Context, launcher launch.Launcher) error {
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
