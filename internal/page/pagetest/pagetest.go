// Package pagetest makes records for the tests and benchmarks of packages that display records.
// It makes them with record.Writer and package verdict, as plinth does, and always with the
// same content. Values that a Writer refuses, but that an attacker could insert, are added
// afterwards.
package pagetest

import (
	"fmt"
	"path/filepath"
	"slices"

	"plinth/internal/hint"
	"plinth/internal/record"
)

// Recipe says what record is made.
type Recipe struct {
	Name string // that of the experiment
	file string // the experiment file, but for the name

	// tps holds what a run does on average; nil: see usual.
	tps func(record.RunID) float64
	// shape holds what becomes of TPS in a second; nil: see checkpointed.
	shape func(second float64) float64
	// judge changes a run before it is committed.
	judge func(*record.Run)
	// runs is how many of them happen; 0: all.
	runs int
	// wide adds columns until a run has so many.
	wide int
	// begun says that the experiment has no run at all.
	begun bool
	// edit changes the files of the finished record.
	edit func(dir string) error
}

// Names are those of all recipes.
func Names() []string {
	var names []string
	for _, r := range recipes() {
		names = append(names, r.Name)
	}
	return names
}

// Make makes the named record in store and returns its directory.
func Make(store, name string) (string, error) {
	all := recipes()
	i := slices.IndexFunc(all, func(r Recipe) bool { return r.Name == name })
	if i < 0 {
		return "", hint.Errorf(hint.DidYouMean(name, Names(), "see Names"), "cannot make a record: no recipe %q", name)
	}
	return all[i].make(store)
}

func (r Recipe) make(store string) (string, error) {
	m, err := begin(store, r)
	if err != nil {
		return "", fmt.Errorf("cannot make %s: %w", r.Name, err)
	}
	err = m.all()
	if closing := m.writer.Close(); err == nil {
		err = closing
	}
	dir := m.writer.Path()
	if err == nil && r.edit != nil {
		err = r.edit(dir)
	}
	if err != nil {
		return "", fmt.Errorf("cannot make %s: %w", r.Name, err)
	}
	return filepath.Clean(dir), nil
}
