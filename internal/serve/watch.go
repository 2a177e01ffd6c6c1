package serve

import (
	"context"
	"errors"
	"sync"
	"time"

	"plinth/internal/page"
	"plinth/internal/record"
)

// watch looks at one record about once a second, for however many pages show it,
// while at least one does.
type watch struct {
	library *library
	name    string
	path    string
	finish  chan struct{} // closed when one last look is to be had
	points  *record.LiveReader
	pages   int // that are open; the hub's

	mu      sync.Mutex
	seen    version
	moment  page.Live      // without Points
	all     []record.Point // of the run that goes on
	run     int            // goes up with each run whose points these are
	now     nowKey         // of moment.Now
	changes int            // goes up with each run committed and each state, as far as told
	changed bool           // something changed that is not told yet
	told    time.Time      // when changes went up last
	gone    bool
	over    bool                   // nobody looks any more
	signals map[chan struct{}]bool // of the pages
}

// nowKey tells one Now from the next.
type nowKey struct {
	at   time.Time
	step string
	run  int
}

func newWatch(l *library, name, path string) *watch {
	return &watch{library: l, name: name, path: path, finish: make(chan struct{}), points: record.NewLiveReader(path), signals: map[chan struct{}]bool{}}
}

// follow looks again and again until ctx ends, or once more when the server stops:
// where it was started with a run, that has just ended, and pages shall show it.
func (w *watch) follow(ctx context.Context, every time.Duration) {
	defer func() { _ = w.points.Close() }() // nothing was written
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if w.look(time.Now()) {
			w.signal()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		case <-w.finish:
			w.look(time.Now())
			w.mu.Lock()
			w.over = true
			w.mu.Unlock()
			w.signal()
			return
		}
	}
}

// look looks at the record once and says whether there is news.
func (w *watch) look(at time.Time) bool {
	v, err := versionOf(w.library.store, w.name)
	w.mu.Lock()
	same := w.seen == v && err == nil
	w.mu.Unlock()
	var rec *record.Record
	if err == nil && !same {
		rec, v, err = w.library.open(w.name)
	}
	if errors.Is(err, errGone) {
		w.mu.Lock()
		w.gone = true
		w.mu.Unlock()
		return true
	}
	if err != nil {
		return false // half of a state; the next look will see a whole one
	}
	now, nowErr := record.ReadNow(w.path)
	points, restarted, pointsErr := w.points.Read()
	w.mu.Lock()
	defer w.mu.Unlock()
	news := w.take(v, rec)
	if nowErr == nil {
		news = w.takeNow(now) || news
	}
	if pointsErr == nil {
		if restarted {
			w.all, w.run = nil, w.run+1
		}
		w.all = append(w.all, points...)
		news = news || restarted || len(points) > 0
	}
	return w.tell(at) || news
}

// take keeps what a changed record says; rec is nil where it did not change.
func (w *watch) take(v version, rec *record.Record) bool {
	if rec == nil {
		return false
	}
	first := w.moment.Schema == ""
	before := w.moment
	w.seen = v
	w.moment = page.Live{
		Schema: page.LiveSchema, Record: w.name, State: rec.Summary.State, Reason: rec.Summary.Reason,
		Runs: len(rec.Runs), Counts: record.Count(rec.Runs), Now: before.Now, Look: progressOf(rec).look(),
	}
	if !first && (before.Runs != w.moment.Runs || before.State != w.moment.State) {
		w.changed = true
	}
	return true
}

func (w *watch) takeNow(now *record.Now) bool {
	if w.moment.State != record.Running {
		now = nil // a writer that has saved the end is about to go
	}
	var key nowKey
	if now != nil {
		key = nowKey{now.At, now.Step, now.Run}
	}
	if key == w.now {
		return false
	}
	w.now, w.moment.Now = key, now
	return true
}

// rest is how many times as long as making a page takes pages are let be.
const rest = 100

// tell lets the pages know of a change. While runs go on they are told so seldom
// that making their tables anew takes less than a hundredth of a core: the machine
// is being measured. An end is told at once.
func (w *watch) tell(at time.Time) bool {
	wait := rest * w.library.cost(w.name)
	if !w.changed || w.moment.State == record.Running && at.Sub(w.told) < wait {
		return false
	}
	w.changes, w.changed, w.told = w.changes+1, false, at
	return true
}

// signal wakes the pages up. One that has not got round to the signal before is
// not waited for: it will find all that is new.
func (w *watch) signal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.signals {
		select {
		case s <- struct{}{}:
		default:
		}
	}
}
