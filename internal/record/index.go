package record

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Index lists the records of a store again and again, and reads only those that
// have changed since the last time. It may be used by several goroutines.
type Index struct {
	store string

	mu    sync.Mutex
	known map[string]indexed // by the name of the directory
}

// indexed is an entry, and what record.json was when it was read.
type indexed struct {
	stamp
	entry Entry
}

// NewIndex is the index of the records in store, which need not be there yet.
func NewIndex(store string) *Index { return &Index{store: store} }

// List is the records in the store, newest first, as of now. Its entries share
// their plans and verdicts with later lists.
func (x *Index) List() ([]Entry, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	names, err := directories(x.store)
	if err != nil {
		return nil, err
	}
	found := make([]indexed, len(names))
	_ = each(len(names), func(i int) error {
		found[i] = x.look(names[i])
		return nil
	})
	x.known = make(map[string]indexed, len(names))
	var entries []Entry
	for _, f := range found {
		if f.info == nil {
			continue // no record
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

// directories are the names of the directories in store.
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

// look is the entry of one directory, read anew where it may have changed; nothing
// where the directory is not a record. What is damaged is read each time: it may
// be put right by what leaves no trace on the file, such as a permission.
func (x *Index) look(name string) indexed {
	path, taken := filepath.Join(x.store, name), time.Now()
	info, err := os.Lstat(filepath.Join(path, summaryFile))
	if err != nil {
		return indexed{}
	}
	if known, there := x.known[name]; there && known.same(info) && known.entry.Damage == "" {
		return known
	}
	return indexed{stamp{info, taken}, readEntry(path)}
}

// settle turns running into interrupted when nobody is writing.
func (e *Entry) settle() {
	if e.State == Running && !Live(e.Path) {
		e.State = Interrupted
	}
}
