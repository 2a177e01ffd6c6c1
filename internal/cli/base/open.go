package base

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/record/index"
	"plinth/internal/report/runpage"
)

// OpenRecord finds and reads the record given by the arguments, by default the latest of the
// store.
func OpenRecord(store string, args []string) (*record.Record, error) {
	name := "latest"
	if len(args) == 1 {
		name = args[0]
	}
	path, err := index.Find(store, name)
	if err != nil {
		return nil, Usage(err)
	}
	rec, err := record.Open(path)
	if err != nil {
		return nil, Usage(err)
	}
	return rec, nil
}

// FindRun finds RUN in the record of the arguments, RECORD:RUN, or the path of a run as a shell
// completes it (results/RECORD/runs/RUN). It reads each record once: one may hold thousands of
// runs.
func (a *App) FindRun(args []string, name string, opened map[string]*record.Record) (runpage.RunOf, error) {
	if at := strings.LastIndex(name, ":"); at >= 0 {
		args, name = []string{name[:at]}, name[at+1:]
	} else if before, run, found := strings.Cut(name, "/runs/"); found {
		if _, err := index.Find(a.Store, before); err == nil {
			args, name = []string{before}, run
		}
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "/run.json"), "/points.parquet")
	key := strings.Join(args, "")
	rec, known := opened[key]
	if !known {
		var err error
		if rec, err = OpenRecord(a.Store, args); err != nil {
			return runpage.RunOf{}, err
		}
		opened[key] = rec
	}
	run, err := runpage.Find(rec, name)
	if note := runpage.ChosenAmong(rec, name); err == nil && note != "" {
		fmt.Fprintln(a.Stderr, note)
	}
	return runpage.RunOf{Record: rec, Run: run}, Usage(err)
}

// CheckEnvironment returns an error if a record has no environment of a name.
func CheckEnvironment(rec *record.Record, name string) error {
	if _, known := rec.Environments[name]; known {
		return nil
	}
	var names []string
	for name := range rec.Environments {
		names = append(names, name)
	}
	slices.Sort(names)
	return Usage(hint.Errorf(hint.DidYouMean(name, names, "it has "+hint.Choice(names)), "the record has no environment %s", name))
}
