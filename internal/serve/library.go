package serve

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"syscall"

	"plinth/internal/record"
	"plinth/internal/record/index"
)

// The most recently used records are kept in memory. A record of 500 runs takes about 20 MB, for 7 MB
// of JSON.
const (
	mostOpen = 4
	mostKept = 64 << 20 // bytes of JSON of all kept records but the one used last
)

// mostBusy is the number of requests that can read or render records at the same time. Others wait:
// together, large records could take all memory.
const mostBusy = 3

// library opens records, each once for all pages that show it.
type library struct {
	store string
	pages pages
	index *index.Index
	turns chan struct{} // has an element for each busy request

	mu    sync.Mutex
	books []*book // the most recently used last
}

func newLibrary(store string, pages pages) *library {
	return &library{store: store, pages: pages, index: index.New(store), turns: make(chan struct{}, mostBusy)}
}

// inTurn calls do when fewer than mostBusy requests are busy. Do must not call inTurn.
func (l *library) inTurn(do func()) {
	l.turns <- struct{}{}
	defer func() { <-l.turns }()
	do()
}

// list returns the records of the store, newest first.
func (l *library) list() ([]index.Entry, error) { return l.index.List() }

// recount counts the runs of records that are being written: their record.json counts only
// complete repeats.
func (l *library) recount(entries []Entry) {
	for i := range entries {
		if entries[i].State != record.Running {
			continue
		}
		if rec, _, err := l.open(entries[i].Name); err == nil {
			entries[i].Counts = record.Count(rec.Runs)
		}
	}
}

// book is one open record.
type book struct {
	name     string
	follower *record.Follower // reads only the new parts of a record that is being written

	mu       sync.Mutex // held while the record is read or rendered, so that this is done only once
	version  version
	read     bool
	record   *record.Record
	err      error // of reading it
	rendered map[string][]byte

	cost atomic.Int64 // CPU time of its last rendering, in ns
	size atomic.Int64 // bytes of JSON
}

// book returns the open record, or a new one that is not yet read.
func (l *library) book(name string) *book {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.books, func(b *book) bool { return b.name == name })
	var found *book
	if i >= 0 {
		found = l.books[i]
		l.books = slices.Delete(l.books, i, i+1)
	} else {
		found = &book{name: name, follower: record.NewFollower(filepath.Join(l.store, name))}
	}
	l.books = append(l.books, found)
	l.trim()
	return found
}

// trim forgets records until the others may be kept. The caller must hold l.mu.
func (l *library) trim() {
	kept := int64(0)
	for i := len(l.books) - 2; i >= 0; i-- {
		if kept += l.books[i].size.Load(); kept > mostKept || len(l.books)-i > mostOpen {
			l.books = slices.Delete(l.books, 0, i+1)
			return
		}
	}
}

// open returns the current state of a record, with its version. The error is errGone, or
// describes the damage of the record.
func (l *library) open(name string) (*record.Record, version, error) {
	v, err := versionOf(l.store, name)
	if err != nil {
		return nil, v, err
	}
	b := l.book(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.current(v) {
		l.inTurn(func() { b.refresh(v) })
	}
	return b.record, v, b.err
}

// current reports whether v is the version that was read last.
func (b *book) current(v version) bool { return b.read && b.version == v }

// refresh reads version v of the record. It keeps the rendered pages if their content has not
// changed, for example if a run has only started.
func (b *book) refresh(v version) {
	before, summary := b.record, b.version.summary
	b.record, b.err = b.follower.Record()
	b.version, b.read = v, true
	if b.size.Store(0); b.err == nil {
		b.size.Store(b.record.Size)
	}
	if b.err != nil || before == nil || summary != v.summary ||
		len(before.Runs) != len(b.record.Runs) || before.Summary.State != b.record.Summary.State {
		b.rendered = map[string][]byte{}
	}
}

// page returns a rendered page of a record, from memory if the record has not changed. Kind
// distinguishes the pages of a record.
func (l *library) page(name, kind string, made func(*record.Record) ([]byte, error)) ([]byte, error) {
	v, err := versionOf(l.store, name)
	if err != nil {
		return nil, err
	}
	b := l.book(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	if body, found := b.rendered[kind]; found && b.current(v) {
		return body, nil
	}
	var body []byte
	l.inTurn(func() { body, err = b.render(v, kind, made) })
	return body, err
}

// render reads version v of the record if that is new, and renders a page of it.
func (b *book) render(v version, kind string, made func(*record.Record) ([]byte, error)) ([]byte, error) {
	if !b.current(v) {
		b.refresh(v)
	}
	if b.err != nil {
		return nil, b.err
	}
	if body, found := b.rendered[kind]; found {
		return body, nil
	}
	before := cpuTime()
	body, err := made(b.record)
	b.cost.Store(int64(cpuTime() - before))
	if err == nil {
		b.rendered[kind] = body
	}
	return body, err
}

// cost returns the CPU time of the last rendering of the record; 0 before the first.
func (l *library) cost(name string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.books {
		if b.name == name {
			return time.Duration(b.cost.Load())
		}
	}
	return 0
}

// cpuTime returns the CPU time of the process so far (getrusage(2)). It includes concurrent
// work, so that differences are too high rather than too low.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
