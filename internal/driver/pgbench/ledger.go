package pgbench

import (
	"fmt"
	"math"
	"sync"
	"time"

	"plinth/internal/driver/latency"
	"plinth/internal/driver/pgbench/txlog"
)

const (
	micro = int64(1_000_000) // microseconds in a second

	// openSeconds is how many seconds stay in memory while threads differ in progress;
	// older ones go to the attic.
	openSeconds = 8

	// longestRun bounds a run without a set end, in microseconds: a log whose clock jumps
	// ahead could otherwise ask for a billion rows. Later transactions count for the last
	// second before the jump.
	longestRun = 24 * 3600 * micro

	// backwards is how far a thread's log may go back, in microseconds, before its clock
	// counts as changed; its lines are in order of time.
	backwards = micro
)

// ledger assigns transactions to seconds and closes a second once every thread has passed
// it. A transaction belongs to the second in which it ended. Seconds count from the start
// of the window; those of the warm-up are negative.
type ledger struct {
	window  window
	limit   int64 // latency limit, microseconds; 0 for none
	streams []*stream
	page    *page // receives closed seconds
	scripts int
	longest int64 // longestRun, microseconds

	mu      sync.Mutex
	begun   bool
	load    int64  // start of the first transaction, microseconds since the epoch
	origin  int64  // start of the warm-up: load, unless the window was agreed on
	latest  int64  // end of the last one
	whole   []sums // by script: the whole invocation, warm-up and what followed the window included
	stepped bool   // the log's clock jumped
	first   int64  // number of open[0]
	open    []*second
	unused  []*second
	spare   spares
	attic   attic
	scratch *latency.Counts

	unfinished unfinished
}

// newLedger returns a ledger; dir is where it may create a temporary file.
func newLedger(w window, limit int64, streams []*stream, p *page, dir string) *ledger {
	return &ledger{
		window: w, limit: limit, streams: streams, page: p, scripts: len(p.names),
		longest: longestRun, whole: make([]sums, len(p.names)),
		attic: attic{dir: dir}, scratch: latency.New(),
	}
}

// add decodes a piece of one thread's log. It returns the time of the last transaction so
// far, measured from the first one's start.
func (l *ledger) add(s *stream, piece []byte) (elapsed time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err = s.decode(piece, func(e *txlog.Entry) error { return l.count(s, e) })
	if err == nil {
		err = l.closePassed()
	}
	return time.Duration(l.latest-l.origin) * time.Microsecond, err
}

// finish marks a thread's log as complete.
func (l *ledger) finish(s *stream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := s.end(); err != nil {
		return err
	}
	return l.closePassed()
}

func (l *ledger) count(s *stream, e *txlog.Entry) error {
	if e.Script >= l.scripts {
		return fmt.Errorf("script number %d, but the run has %d scripts", e.Script, l.scripts)
	}
	if !l.begun {
		l.begin(e)
	}
	end := l.place(s, e)
	l.whole[e.Script].add(e, l.limit)
	if end < l.origin { // before the warm-up of an agreed window
		return nil
	}
	at := secondOf(end - l.origin - l.window.warmup)
	if past := end - l.start() - l.window.length; l.window.length > 0 && past >= 0 {
		l.unfinished.note(e.Client, min(e.Micros-past, l.window.length))
		return nil // after the window: counts only for the whole
	}
	sec, err := l.second(at)
	if err != nil {
		return err
	}
	p := &sec.parts[e.Script]
	p.add(e, l.limit)
	if e.Outcome != txlog.Succeeded {
		return nil
	}
	micros := uint32(min(e.Micros, math.MaxUint32))
	if sec.frozen {
		return l.addLate(p, micros)
	}
	p.tally.add(micros, &l.spare)
	return nil
}

// begin uses the first line that arrives as the first transaction. Since version 14 all
// clients start together, behind a barrier, so another thread's first transaction is at
// most some milliseconds earlier (in 13, at most the time in which the threads connect; with
// a rate, some of a thread's intervals); transactions that ended before count for the first
// second.
func (l *ledger) begin(e *txlog.Entry) {
	l.begun = true
	l.origin = e.End - min(max(e.Micros, 0), l.longest)
	l.load, l.latest = l.origin, e.End
	if l.window.agreed > 0 {
		l.origin = l.window.agreed - l.window.warmup
	}
	l.first = secondOf(-l.window.warmup)
	l.page.begin(l.origin + l.window.warmup)
}

// place returns when the transaction ended, corrected for clock changes. If the clock was
// set during the run (pgbench 13 logs the time of day), the transaction counts for the
// second that the thread had reached.
func (l *ledger) place(s *stream, e *txlog.Entry) int64 {
	end := e.End
	if e.Micros < 0 || e.Lag < 0 {
		l.stepped = true
		e.Micros, e.Lag = max(e.Micros, 0), max(e.Lag, 0)
	}
	if l.window.length == 0 && end > l.origin+l.longest {
		l.stepped = true
		end = l.latest
	}
	// Only a thread's own log shows that the clock jumped: with a rate, its first transaction may be due seconds before the one
	// that began the ledger.
	l.stepped = l.stepped || end < s.logged-backwards
	s.logged = max(s.logged, end)
	end = max(end, l.load, s.latest)
	s.latest = end
	l.latest = max(l.latest, end)
	return end
}

// closePassed closes the seconds that every thread has passed.
func (l *ledger) closePassed() error {
	passed := l.latest
	for _, s := range l.streams {
		if !s.ended {
			passed = min(passed, s.latest)
		}
	}
	if l.window.length > 0 {
		passed = min(passed, l.start()+l.window.length)
	}
	return l.closeUntil(passed)
}

// secondOf returns the number of the second that contains a time since the window's start.
func secondOf(micros int64) int64 {
	n := micros / micro
	if micros%micro < 0 {
		n--
	}
	return n
}
