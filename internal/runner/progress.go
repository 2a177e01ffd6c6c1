package runner

import (
	"strings"
	"sync"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// progress is how far an experiment is: it shows people each step, and tells those who look
// at the record from outside.
type progress struct {
	view    View
	teller  *teller // nil before there is a record
	words   experiment.Words
	runTime time.Duration // of one run, as foreseen; 0 when unknown

	number  int       // of the last run begun
	before  int       // runs that the record held when this began
	planned int       // runs due now
	done    int       // of those
	started time.Time // the first of them; zero before that
	lastEnd time.Time // of a run, or the start
}

// position is the number of the last run begun, and how many there will be.
func (p *progress) position() (run, runs int) {
	runs = p.before + p.planned
	return min(p.number, runs), runs
}

// left is the time to the end at the pace of the runs so far, or the foreseen one
// of the first; 0 before that. The run in progress may take longer than its share,
// but not that of the others.
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

// now shows a step that is not a run, and tells it.
func (p *progress) now(status Status) {
	p.view.Status(status)
	run, runs := p.position()
	p.teller.tell(record.Now{
		Step: status.Step, Environment: status.Environment, Detail: status.Detail,
		Run: run, Runs: runs, Left: status.Left.Seconds(),
	})
}

// at tells the step of a run that begins.
func (p *progress) at(step string, run *record.Run) {
	status, cell := p.status(run), run.Cell
	p.teller.tell(record.Now{
		Step: step, Environment: run.Environment, Cell: &cell, Path: strings.TrimPrefix(run.Path(), "runs/"),
		Run: status.Run, Runs: status.Runs, Left: status.Left.Seconds(),
	})
}

// live passes on what is seen of a run that goes on. It is for people only: a
// line that cannot be written costs no run.
func (p *progress) live(run *record.Run, pending *record.Pending, point record.Point) {
	status := p.status(run)
	status.TPS = point.TPS
	p.view.Status(status)
	_ = pending.Live(point)
}

// ended shows how a run went.
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

// View is told what happens. The command line shows it; tests remember it.
type View interface {
	// Say is for a line that stays.
	Say(text string)
	// Status is what goes on now; each one replaces the one before.
	Status(Status)
}

// Status is the present moment of an experiment.
type Status struct {
	Step        string           // "loading", "driving", "stopping"
	Environment string           // the one that is busy
	Detail      string           // of a step that is not a run: "accounts, 45 %"
	Cell        experiment.Cell  // of a run
	Run, Runs   int              // "run 17 of 78"; 0 before the first
	TPS         float64          // of the last second; 0 when there is none yet
	Words       experiment.Words // for what TPS counts
	Left        time.Duration    // until the end of the experiment; 0 when unknown
	Ended       bool             // this run has just ended
	Problem     string           // why it is not valid, when it ended so
}
