package index

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/hint"
)

// Latest is the argument with which Find returns the newest record of a store.
const Latest = "latest"

// Find resolves the RECORD argument of a command to the path of a record. The argument is a path,
// a name in store, a unique prefix of a name, or "latest". On failure the error suggests the
// nearest names.
func Find(store, arg string) (string, error) {
	if arg != "" && isRecord(arg) {
		return arg, nil
	}
	entries, err := List(store)
	if err != nil {
		return "", fmt.Errorf("cannot look for record %q in %s: %w", arg, store, err)
	}
	if len(entries) == 0 {
		return "", hint.Errorf("create one with plinth run, or set the directory with --store",
			"cannot find record %q: no records in %s", arg, store)
	}
	if arg == Latest {
		for _, e := range entries {
			switch {
			case e.Later: // to pass over it would judge an older one instead
				return "", hint.Errorf("install the newest version of plinth, or name a record",
					"cannot read the latest record, %s: a newer version of plinth wrote it", e.Name)
			case e.Damage == "": // the creation time of a damaged record is unknown
				return e.Path, nil
			}
		}
		return "", fmt.Errorf("cannot find the latest record: all records in %s are damaged", store)
	}
	return byName(store, arg, entries)
}

func byName(store, arg string, entries []Entry) (string, error) {
	var names []string // newest first
	for _, e := range entries {
		if e.Name == arg {
			return e.Path, nil
		}
		if arg != "" && strings.HasPrefix(e.Name, arg) {
			names = append(names, e.Name)
		}
	}
	switch len(names) {
	case 0:
		return "", hint.Errorf("did you mean "+strings.Join(nearest(arg, entries), " or ")+"?",
			"cannot find record %q in %s", arg, store)
	case 1:
		return filepath.Join(store, names[0]), nil
	}
	return "", hint.Errorf("give more of the name: "+strings.Join(names[:min(3, len(names))], ", "),
		"cannot choose a record: %d records begin with %q", len(names), arg)
}

// nearest returns the two names whose beginnings are the fewest edits away from arg.
func nearest(arg string, entries []Entry) []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	// Users type the beginning of a name.
	beginning := func(name string) string { return name[:min(len(arg), len(name))] }
	slices.SortStableFunc(names, func(a, b string) int {
		return hint.Distance(arg, beginning(a)) - hint.Distance(arg, beginning(b))
	})
	return names[:min(2, len(names))]
}
