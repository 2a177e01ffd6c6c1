package runner

import (
	"strings"
	"sync"
	"time"

	"plinth/internal/record"
)

// teller tells those who look at the record from outside what goes on. It writes
// where a step begins, and never while a load is measured: what a page wants to
// know of that is in the run's live points.
type teller struct {
	write func(record.Now) error
	clock func() time.Time
	warn  func(string)

	mu     sync.Mutex // progress of a load may come from another goroutine
	last   record.Now
	warned bool
}

func (r *Runner) newTeller() *teller {
	return &teller{write: r.writer.Tell, clock: time.Now, warn: r.view.Say}
}

// detailEvery is how often something that only got further is told.
const detailEvery = time.Second

// tell writes now.json, if now says more than the last one. It is for people only:
// what cannot be written costs no run.
func (t *teller) tell(now record.Now) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now.At = t.clock().UTC()
	if sameStep(t.last, now) && now.At.Sub(t.last.At) < detailEvery {
		return
	}
	t.last = now
	if err := t.write(now); err != nil && !t.warned {
		t.warned = true
		t.warn("warning: a page cannot see how far this is: " + err.Error())
	}
}

// sameStep says that b is a, perhaps a little further: "accounts, 45 %".
func sameStep(a, b record.Now) bool {
	what := func(n record.Now) string {
		part, _, _ := strings.Cut(n.Detail, ",")
		return part
	}
	return a.Step == b.Step && a.Environment == b.Environment && a.Path == b.Path && what(a) == what(b)
}

// now shows a step that is not a run, and tells it.
func (r *Runner) now(status Status) {
	r.view.Status(status)
	run, runs := r.position()
	r.teller.tell(record.Now{
		Step: status.Step, Environment: status.Environment, Detail: status.Detail,
		Run: run, Runs: runs, Left: status.Left.Seconds(),
	})
}

// begin tells the step of a run that begins.
func (r *Runner) begin(step string, run *record.Run) {
	status, cell := r.status(run), run.Cell
	r.teller.tell(record.Now{
		Step: step, Environment: run.Environment, Cell: &cell, Path: strings.TrimPrefix(run.Path(), "runs/"),
		Run: status.Run, Runs: status.Runs, Left: status.Left.Seconds(),
	})
}
