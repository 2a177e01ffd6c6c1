package runner

import (
	"strings"
	"sync"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// progress is the state of an experiment. It shows each step on the terminal, and writes it for
// readers of the record.
type progress struct {
	view      View
	publisher *publisher // nil before the record exists
	words     experiment.Terms
	runTime   time.Duration // predicted for one run; 0 if unknown

	number  int       // of the last run begun
	before  int       // runs in the record when this session began
	planned int       // runs due in this session
	done    int       // runs driven of planned
	started time.Time // start of the first run; zero before that
	lastEnd time.Time // end of the last run, or the start
}

// position returns the number of the last run begun, and the total.
func (p *progress) position() (run, runs int) {
	runs = p.before + p.planned
	return min(p.number, runs), runs
}

// left returns the time to the end of the experiment, at the average pace of the runs so far,
// or at the predicted pace during the first run; 0 before that. A run that takes longer than
// its share does not reduce the share of the others.
func (p *progress) left() time.Duration {
	if p.started.IsZero() {
		return 0
	}
	pace := p.runTime
	if p.done > 0 {
		pace = p.lastEnd.Sub(p.started) / time.Duration(p.done)
	}
	return max(0, time.Duration(p.planned-p.done)*pace-min(pace, time.Since(p.lastEnd)))
}

// status describes the run in progress.
func (p *progress) status(run *record.Run) Status {
	number, runs := p.position()
	return Status{Step: "driving", Environment: run.Environment, Cell: run.Cell, Run: number, Runs: runs, Left: p.left(), Words: p.words}
}

// now shows and publishes a step that is not a run.
func (p *progress) now(status Status) {
	p.view.Status(status)
	run, runs := p.position()
	p.publisher.publish(record.Now{
		Step: status.Step, Environment: status.Environment, Detail: status.Detail,
		Run: run, Runs: runs, Left: status.Left.Seconds(),
	})
}

// at publishes the current step of a run.
func (p *progress) at(step string, run *record.Run) {
	status, cell := p.status(run), run.Cell
	p.publisher.publish(record.Now{
		Step: step, Environment: run.Environment, Cell: &cell, Path: strings.TrimPrefix(run.Path(), "runs/"),
		Run: status.Run, Runs: status.Runs, Left: status.Left.Seconds(),
	})
}

// live shows and publishes a point of the run in progress. A write error is ignored: live
// points are only for display.
func (p *progress) live(run *record.Run, pending *record.Pending, point record.Point) {
	status := p.status(run)
	status.TPS = point.TPS
	p.view.Status(status)
	_ = pending.Live(point)
}

// ended shows the outcome of a run.
func (p *progress) ended(run *record.Run) {
	p.done++
	status := p.status(run)
	status.Ended, status.TPS = true, run.Result.TPS
	if run.Status != record.Valid {
		status.Problem = string(run.Status)
		if len(run.Reasons) > 0 {
			status.Problem += ": " + run.Reasons[0].Text
		}
	}
	p.view.Status(status)
}

// publisher publishes progress in now.json for readers of the record. It writes when a step
// begins, and never while a load is measured: the run's live points cover that time.
type publisher struct {
	write func(record.Now) error
	clock func() time.Time
	warn  func(string)

	mu     sync.Mutex // progress of a load may come from another goroutine
	last   record.Now
	warned bool
}

// detailEvery is the minimum interval between updates of the same step.
const detailEvery = time.Second

// publish writes now.json if now is a new step, or if the last update is at least detailEvery old.
// The first write error is shown as a warning; none stops a run.
func (t *publisher) publish(now record.Now) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now.At = t.clock().UTC()
	if sameStep(t.last, now) && now.At.Sub(t.last.At) < detailEvery {
		return
	}
	t.last = now
	if err := t.write(now); err != nil && !t.warned {
		t.warned = true
		t.warn("warning: cannot publish the progress for the page: " + err.Error())
	}
}

// sameStep reports whether a and b are the same step, whatever its progress: "accounts, 45 %".
func sameStep(a, b record.Now) bool {
	what := func(n record.Now) string {
		part, _, _ := strings.Cut(n.Detail, ",")
		return part
	}
	return a.Step == b.Step && a.Environment == b.Environment && a.Path == b.Path && what(a) == what(b)
}

// View receives progress messages. The command line displays them; tests record them.
type View interface {
	// Say shows a line that stays.
	Say(text string)
	// Status shows the current state; each call replaces the previous one.
	Status(Status)
}

// Status is the current state of an experiment.
type Status struct {
	Step        string           // "loading", "driving", "stopping"
	Environment string           // the one being worked on
	Detail      string           // of a step that is not a run: "accounts, 45 %"
	Cell        experiment.Cell  // of a run
	Run, Runs   int              // "run 17 of 78"; 0 before the first
	TPS         float64          // of the last second; 0 before the first
	Words       experiment.Terms // the words for what TPS counts
	Left        time.Duration    // until the end of the experiment; 0 if unknown
	Ended       bool             // this run has just ended
	Problem     string           // why the ended run is not valid; empty if it is
}
