package site

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/stand"
)

// eventRunner are the events of an experiment in one run. Each begins at its offset into the
// measured window, and is timed.
type eventRunner struct {
	events []experiment.Event
	do     func(context.Context, experiment.Event) error
	ctx    context.Context
	cancel context.CancelFunc // cancels events that are not due yet

	mu       sync.Mutex
	outcomes []record.Event
	all      sync.WaitGroup
}

// begun schedules the events when the measured window begins.
func (h *eventRunner) begun(window time.Time) {
	if len(h.events) == 0 || h.cancel != nil {
		return
	}
	var due context.Context
	due, h.cancel = context.WithCancel(h.ctx)
	h.outcomes = make([]record.Event, len(h.events))
	for i, e := range h.events {
		h.all.Add(1)
		go func() {
			defer h.all.Done()
			h.one(due, i, e, window)
		}()
	}
}

// one waits until an event is due and carries it out. An event that has begun runs to
// completion even if the load has ended: left half done, it would disturb the next run.
func (h *eventRunner) one(due context.Context, i int, e experiment.Event, window time.Time) {
	o := record.Event{Name: e.Name, What: cmp.Or(e.Statement(), strings.Join(e.Command, " ")), At: e.At.Seconds()}
	if err := host.Sleep(due, time.Until(window.Add(e.At.Std()))); err != nil {
		o.Error = "the load ended before the event was due"
	} else {
		began := time.Now()
		o.At = began.Sub(window).Seconds()
		if err := h.do(h.ctx, e); err != nil {
			o.Error = err.Error()
		}
		o.Took = time.Since(began).Seconds()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.outcomes[i] = o
}

// end waits for the events that have begun, and returns the outcome of all events.
func (h *eventRunner) end() []record.Event {
	if h.cancel == nil {
		return nil
	}
	h.cancel()
	h.all.Wait()
	return h.outcomes
}

// carryOut executes an event: a statement in the database under load, or a program. If a
// program fails, the last line of its standard error becomes the error.
func (l *Local) carryOut(ctx context.Context, p *stand.Stand, e experiment.Event) error {
	if statement := e.Statement(); statement != "" {
		doer, can := p.Server.(engine.Doer)
		if !can {
			return errors.New("this server does not accept statements")
		}
		return doer.Do(ctx, statement)
	}
	path, err := launch.FindProgram(e.Command[0], engines.Of(l.experiment).ProgramDirs(p.Environment)...)
	if err != nil {
		return err
	}
	said := &tail{}
	status, err := launch.Run(ctx, l.launcher, launch.Command{
		Path: path, Args: e.Command[1:], Env: p.Server.Target().Tools.Environ(), Stderr: said,
	})
	switch {
	case err != nil:
		return err
	case status.Signal != nil:
		return fmt.Errorf("terminated by a signal (%v)", status.Signal)
	case status.Code != 0:
		return fmt.Errorf("exit code %d: %s", status.Code, said)
	}
	return nil
}

// tail keeps the last 1000 bytes of a program's output.
type tail struct{ text []byte }

// Write never fails.
func (l *tail) Write(p []byte) (int, error) {
	const most = 1000
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-most):]
	return len(p), nil
}

// String returns the last line.
func (l *tail) String() string {
	lines := bytes.Split(bytes.TrimSpace(l.text), []byte("\n"))
	return string(lines[len(lines)-1])
}
