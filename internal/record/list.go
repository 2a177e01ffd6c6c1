package record

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Entry is one record of a store, as a list shows it. Where the record is
// damaged, Damage says how and only Name, Path and Created (when its directory
// was last changed) are known.
type Entry struct {
	Name     string    `json:"name"` // of the directory
	Path     string    `json:"path"`
	Question string    `json:"question"`
	State    State     `json:"state"`
	Planned  int       `json:"planned_runs"`
	Counts   Counts    `json:"counts"`
	Created  time.Time `json:"created"`
	Damage   string    `json:"damage,omitempty"`
}

// List is the records in store, newest first. It reads record.json only; a
// directory without one is not a record. A store that is not there is empty.
func List(store string) ([]Entry, error) {
	names, err := recordNames(store)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(names))
	_ = each(len(names), func(i int) error {
		entries[i] = entry(store, names[i])
		return nil
	})
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(b.Name, a.Name))
	})
	return entries, nil
}

// recordNames are the directories in store that hold a record.json.
func recordNames(store string) ([]string, error) {
	entries, err := os.ReadDir(store)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && isRecord(filepath.Join(store, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func isRecord(path string) bool {
	_, err := os.Lstat(filepath.Join(path, summaryFile))
	return err == nil
}

func entry(store, name string) Entry {
	e := Entry{Name: name, Path: filepath.Join(store, name)}
	summary, err := summaryAt(e.Path)
	if err != nil {
		e.Damage = err.Error()
		if info, err := os.Stat(e.Path); err == nil {
			e.Created = info.ModTime()
		}
		return e
	}
	e.Question, e.State, e.Planned = summary.Question, summary.State, summary.Planned
	e.Counts, e.Created = summary.Counts, summary.Created
	return e
}

func summaryAt(path string) (Summary, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return Summary{}, bare(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	summary, err := readSummary(root)
	if err == nil {
		summary.settle(path)
	}
	return summary, err
}
