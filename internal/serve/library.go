package serve

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"syscall"

	"plinth/internal/record"
)

// mostOpen is how many records are kept in memory: those that people look at. One
// of 500 runs takes some 20 MB.
const mostOpen = 4

// library opens records, each once for however many pages show it.
type library struct {
	store string
	pages pages
	index *record.Index

	mu    sync.Mutex
	books []*book // those used last come last
}

func newLibrary(store string, pages pages) *library {
	return &library{store: store, pages: pages, index: record.NewIndex(store)}
}

// list is the records of the store, newest first.
func (l *library) list() ([]record.Entry, error) { return l.index.List() }

// recount counts the runs of records that are being written: record.json has those of
// complete repeats only.
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

// book is one record that is open.
type book struct {
	name     string
	follower *record.Follower // reads only what is new of a record that is being written

	mu       sync.Mutex // held while it is read or a page is made of it: once is enough
	version  version
	read     bool
	record   *record.Record
	err      error // of reading it
	rendered map[string][]byte

	cost atomic.Int64 // CPU time that making its page took last, in ns
}

// book finds the open record, or begins to open it.
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
	if len(l.books) > mostOpen {
		l.books = slices.Delete(l.books, 0, 1)
	}
	return found
}

// open is the record as it is now, with its version. The error is errGone, or says
// what is wrong with the record.
func (l *library) open(name string) (*record.Record, version, error) {
	v, err := versionOf(l.store, name)
	if err != nil {
		return nil, v, err
	}
	b := l.book(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refresh(v)
	return b.record, v, b.err
}

// refresh reads the record unless v is what was read. Pages made of it stay when it
// says the same as before: a run has begun, say.
func (b *book) refresh(v version) {
	if b.read && b.version == v {
		return
	}
	before, summary := b.record, b.version.summary
	b.record, b.err = b.follower.Record()
	b.version, b.read = v, true
	if b.err != nil || before == nil || summary != v.summary ||
		len(before.Runs) != len(b.record.Runs) || before.Summary.State != b.record.Summary.State {
		b.rendered = map[string][]byte{}
	}
}

// page is a page made of a record, from memory where nothing has changed. Kind
// names the page among those of the record.
func (l *library) page(name, kind string, made func(*record.Record) ([]byte, error)) ([]byte, error) {
	v, err := versionOf(l.store, name)
	if err != nil {
		return nil, err
	}
	b := l.book(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refresh(v)
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

// cost is the CPU time that making a page of the record took last; 0 before.
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

// cpuTime is the CPU time of the process so far (getrusage(2)). What it did beside
// counts, too: it says too much rather than too little.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
