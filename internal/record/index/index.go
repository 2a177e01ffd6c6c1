package index

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"plinth/internal/record"
	"plinth/internal/record/files"
)

// Index lists the records of a store repeatedly and reads only those that have changed since the
// last listing. It is safe for concurrent use.
type Index struct {
	store string

	mu    sync.Mutex
	known map[string]indexed // by the name of the directory
}

// indexed is an entry and the stamp of record.json when it was read.
type indexed struct {
	files.Stamp
	entry Entry
}

// New returns an index of the records in store, which need not exist yet.
func New(store string) *Index { return &Index{store: store} }

// List returns the records currently in the store, newest first. Its entries share their plans
// and verdicts with later lists.
func (x *Index) List() ([]Entry, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	names, err := directories(x.store)
	if err != nil {
		return nil, err
	}
	found := make([]indexed, len(names))
	_ = files.Each(len(names), func(i int) error {
		found[i] = x.look(names[i])
		return nil
	})
	x.known = make(map[string]indexed, len(names))
	var entries []Entry
	for _, f := range found {
		if f.Info == nil {
			continue // not a record
		}
		x.known[f.entry.Name] = f
		f.entry.settle()
		entries = append(entries, f.entry)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.Name, a.Name))
	})
	return entries, nil
}

// directories returns the names of the directories in store.
func directories(store string) ([]string, error) {
	entries, err := os.ReadDir(store)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// look returns the entry of one directory, read again if it may have changed, or a zero indexed
// if the directory is not a record. A damaged record is read every time: a repair, such as a
// changed permission, may leave the stamp unchanged.
func (x *Index) look(name string) indexed {
	path, taken := filepath.Join(x.store, name), time.Now()
	info, err := record.Stat(path)
	if err != nil {
		return indexed{}
	}
	if known, there := x.known[name]; there && known.Same(info) && known.entry.Damage == "" {
		return known
	}
	return indexed{files.Stamp{Info: info, Taken: taken}, readEntry(path)}
}

// settle changes the state from running to interrupted if no writer is alive.
func (e *Entry) settle() {
	if e.State == record.Running && !record.Live(e.Path) {
		e.State = record.Interrupted
	}
}
