package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/driver"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/site"
	"plinth/internal/runner/stand"
	"plinth/internal/wire"
)

// Client is the site of the machine at the other end of a connection.
type Client struct {
	name  string      // of the machine
	clean string      // the command that undoes what a killed agent left behind
	lost  atomic.Bool // a call has reported that the connection was lost
	conn  *wire.Conn
	say   func(string)
	begun sync.WaitGroup // calls of Begun that are on their way
}

var _ site.Site = (*Client)(nil)

// Connect connects to an agent. Say shows a line to the user.
func Connect(ctx context.Context, rw io.ReadWriteCloser, o Options, say func(string)) (*Client, error) {
	conn, err := wire.Connect(ctx, rw, o.wire())
	if err != nil {
		return nil, err
	}
	return &Client{name: o.Name, clean: o.Clean, conn: conn, say: func(line string) { say(conninfo.Redact(line)) }}, nil
}

// call calls the agent.
func call[In, Event, Out any](ctx context.Context, c *Client, m wire.Method[In, Event, Out], in In, event func(Event)) (Out, error) {
	out, err := m.Call(ctx, c.conn, in, event)
	if lost := new(wire.LostError); errors.As(err, &lost) {
		err = hint.Wrap(fmt.Errorf("the connection to %s was lost: %w", c.name, lost.Cause),
			"the agent there undoes everything once it notices; if it was killed, "+c.clean+" does")
		err = &LostError{err}
		c.lost.Store(true)
	}
	return out, err
}

// LostError reports that the connection to a machine was lost. It names the machine.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

// Disconnect closes the connection. The agent then undoes whatever is left.
func (c *Client) Disconnect() error { return c.conn.Close() }

// Machines describes the machine.
func (c *Client) Machines(ctx context.Context) ([]site.Machine, error) {
	return call(ctx, c, methodMachines, none{}, nil)
}

// Foresee checks the experiment there. It changes the plan's experiment as the site there does.
func (c *Client) Foresee(ctx context.Context, p site.Plan) (site.Foreseen, error) {
	f, err := call(ctx, c, methodForesee, p, nil)
	if err != nil {
		return site.Foreseen{Experiment: p.Experiment}, err
	}
	if f.Declared != nil {
		*p.Experiment = *f.Declared
	}
	return f.Foreseen, f.Problem.err()
}

// Open takes the machine, after undoing what an earlier plinth left behind on it.
func (c *Client) Open(ctx context.Context, o site.Opening) (site.Opened, error) {
	return call(ctx, c, methodOpen, o, c.say)
}

// SettleRates chooses the rates of emulated devices.
func (c *Client) SettleRates(ctx context.Context, given *stand.Rates) (stand.Rates, []string, error) {
	r, err := call(ctx, c, methodRates, ratesGiven{given}, nil)
	return r.Rates, r.Said, err
}

// PutUp creates an environment.
func (c *Client) PutUp(ctx context.Context, environment string, report func(site.Step)) (record.Environment, error) {
	return call(ctx, c, methodPutUp, environment, report)
}

// Inventories describes the machine in detail.
func (c *Client) Inventories(ctx context.Context) ([]site.Inventory, []record.Note, error) {
	i, err := call(ctx, c, methodInventory, none{}, nil)
	return i.Inventories, i.Notes, err
}

// Reload loads a dataset again.
func (c *Client) Reload(ctx context.Context, environment string, report func(site.Step)) error {
	_, err := call(ctx, c, methodReload, environment, report)
	return err
}

// Ready makes an environment ready for a run.
func (c *Client) Ready(ctx context.Context, o site.Order) (site.Ready, error) {
	r, err := call(ctx, c, methodReady, o, nil)
	if err != nil {
		return r.Result, err
	}
	return r.Result, r.Failure.err()
}

// Begun does not wait for the other end: the load goes on meanwhile. End waits for it.
func (c *Client) Begun(window time.Time) {
	c.begun.Go(func() {
		_, _ = methodBegun.Call(context.Background(), c.conn, window, nil) // a lost connection fails the load, too
	})
}

// Clock compares the agent's clock with this machine's, n times. The quickest answer limits the error
// most: the agent read its clock at some moment between the question and the answer.
func (c *Client) Clock(ctx context.Context, n int) (ahead, within time.Duration, err error) {
	for i := range n {
		asked := time.Now()
		theirs, err := call(ctx, c, methodClock, none{}, nil)
		if err != nil {
			return 0, 0, err
		}
		half := (time.Since(asked) + 1) / 2
		if i == 0 || half < within {
			ahead, within = theirs.Sub(asked.Add(half).Round(0)), half
		}
	}
	return ahead, within, nil
}

// Watch watches the server under load.
func (c *Client) Watch(ctx context.Context) error {
	_, err := call(ctx, c, methodWatch, none{}, nil)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// End ends a run, once the calls of Begun have arrived.
func (c *Client) End(ctx context.Context, e site.Ending) (site.Account, error) {
	c.begun.Wait()
	r, err := call(ctx, c, methodEnd, e, nil)
	if err != nil {
		return r.Result, err
	}
	return r.Result, r.Failure.err()
}

// Revive restarts a server after a failed run.
func (c *Client) Revive(ctx context.Context, environment string) error {
	_, err := call(ctx, c, methodRevive, environment, nil)
	return err
}

// Inject injects a fault.
func (c *Client) Inject(ctx context.Context, environment string, at time.Duration) (record.Injection, error) {
	r, err := call(ctx, c, methodInject, injection{environment, at}, nil)
	if err != nil {
		return r.Result, err
	}
	return r.Result, r.Failure.err()
}

// Clean undoes what earlier plinth processes left behind on the machine.
func (c *Client) Clean(ctx context.Context, forget bool) error {
	_, err := call(ctx, c, methodClean, cleaning{forget}, c.say)
	return err
}

// Close undoes everything. The agent goes on until Disconnect. If the connection was lost, which a
// call has reported, the agent does that by itself.
func (c *Client) Close(ctx context.Context) error {
	if c.lost.Load() {
		return nil
	}
	_, err := call(ctx, c, methodClose, none{}, nil)
	return err
}

// Drive drives a load at the other end. The files of the run arrive after the load.
func (c *Client) Drive(ctx context.Context, j driver.Job) (*driver.Outcome, error) {
	files := receiver{keep: j.Keep, most: mostOfRun}
	d, err := call(ctx, c, methodDrive, job{
		Workload: j.Workload, Cell: j.Cell, Conninfo: j.Conninfo, Env: j.Env, Window: j.Window, Transactions: j.Transactions,
	}, func(e driving) {
		switch {
		case e.Begun != nil && j.Begun != nil:
			j.Begun(*e.Begun)
		case e.Point != nil && j.Live != nil:
			j.Live(*e.Point)
		case e.File != nil:
			files.receive(*e.File)
		}
	})
	if kept := files.close(); err == nil {
		err = kept
	}
	if err == nil {
		err = d.Failure.err()
	}
	if err != nil {
		return nil, err
	}
	return &driver.Outcome{Driver: d.Driver, Result: d.Result, Points: d.Points, Begin: d.Begin, End: d.End,
		KeyReads: d.KeyReads,
		Problems: d.Problems, Warnings: d.Warnings}, nil
}

// receiver writes the files of a run to where its caller keeps them.
type receiver struct {
	keep driver.Keeper
	name string
	most int64    // bytes of all files; an agent that sends more is refused
	file *os.File // the file in progress
	err  error    // the first
}

// mostOfRun is more bytes than the files of a run have: they hold a line a second and some texts.
const mostOfRun = 4 << 30

func (r *receiver) receive(c chunk) {
	if r.err != nil {
		return
	}
	if c.Name != "" && (c.Name != filepath.Base(c.Name) || !filepath.IsLocal(c.Name) || c.Name == ".") {
		r.err = fmt.Errorf("the agent sent a file with the name %q", c.Name)
		return
	}
	if r.most -= int64(len(c.Data)); r.most < 0 {
		r.err = errors.New("the agent sent larger files than there can be")
		return
	}
	if r.file == nil || r.name != c.Name {
		r.finish()
		r.open(c.Name)
	}
	if r.err == nil {
		_, r.err = r.file.Write(c.Data)
	}
}

func (r *receiver) open(name string) {
	var err error
	if name == "" {
		r.file, err = r.keep.CreateHistogramLog()
	} else {
		r.file, err = r.keep.CreateRaw(name)
	}
	r.name = name
	if r.err == nil {
		r.err = err
	}
}

func (r *receiver) finish() {
	if r.file == nil {
		return
	}
	if err := r.file.Close(); r.err == nil {
		r.err = err
	}
	r.file = nil
}

// close returns the first error.
func (r *receiver) close() error {
	r.finish()
	return r.err
}
