package serve

import (
	"context"
	"errors"
	"sync"
	"time"

	"plinth/internal/page"
	"plinth/internal/record"
)

// watch reads one record about once a second, for all pages that show it, while at least one
// does.
type watch struct {
	library *library
	name    string
	path    string
	finish  chan struct{} // closed to request a last reading
	points  *record.LiveReader
	pages   int // number of open pages; protected by the hub

	mu      sync.Mutex
	seen    version
	moment  page.Live      // without Points
	all     []record.Point // of the run in progress
	run     int            // incremented for each run whose points are in all
	now     nowKey         // of moment.Now
	changes int            // number of changes announced to the pages
	changed bool           // a run was committed or the state changed, not yet announced
	told    time.Time      // when changes was last incremented
	gone    bool
	over    bool                   // no further readings
	signals map[chan struct{}]bool // of the pages
}

// nowKey identifies a Now.
type nowKey struct {
	at   time.Time
	step string
	run  int
}

func newWatch(l *library, name, path string) *watch {
	return &watch{library: l, name: name, path: path, finish: make(chan struct{}), points: record.NewLiveReader(path), signals: map[chan struct{}]bool{}}
}

// follow reads the record at intervals until ctx ends. When the server stops it reads once
// more: if it was started with a run, that has just ended, and pages should show the end.
func (w *watch) follow(ctx context.Context, every time.Duration) {
	defer func() { _ = w.points.Close() }() // opened for reading only
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

// look reads the record once and reports whether there is news.
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
		return false // it may be in the middle of a change; the next reading succeeds
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

// take stores the state of a changed record; rec is nil if it has not changed.
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
		now = nil // a writer that has saved the end is about to exit
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

// rest is the minimum interval between announcements, as a multiple of the cost of rendering.
const rest = 100

// tell announces a change to the pages. During an experiment it limits announcements so that
// rendering takes at most 1/rest (1 %) of a core, because the machine is being measured. It
// announces the end at once.
func (w *watch) tell(at time.Time) bool {
	wait := rest * w.library.cost(w.name)
	if !w.changed || w.moment.State == record.Running && at.Sub(w.told) < wait {
		return false
	}
	w.changes, w.changed, w.told = w.changes+1, false, at
	return true
}

// signal notifies the pages. It does not wait for a page that has not yet handled the previous
// signal: that page will find all news anyway.
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
