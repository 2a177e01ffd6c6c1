package record

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/hint"
)

// Latest is the name by which Find knows the newest record of a store.
const Latest = "latest"

// Find turns the RECORD argument of a command into the path of a record: the
// path of one, its name in store, the beginning of a name that fits only one,
// or "latest". The error names what comes nearest.
func Find(store, arg string) (string, error) {
	if arg != "" && isRecord(arg) {
		return arg, nil
	}
	entries, err := List(store)
	if err != nil {
		return "", fmt.Errorf("cannot look for record %q in %s: %w", arg, store, err)
	}
	if len(entries) == 0 {
		return "", hint.Errorf("make one with plinth run, or say where they are with --store",
			"cannot find record %q: there are no records in %s", arg, store)
	}
	if arg == Latest {
		for _, e := range entries {
			if e.Damage == "" { // the age of a damaged record cannot be known
				return e.Path, nil
			}
		}
		return "", fmt.Errorf("cannot find the latest record: all in %s are damaged", store)
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
	return "", hint.Errorf("write more of its name: "+strings.Join(names[:min(3, len(names))], ", "),
		"cannot choose: %d records begin with %q", len(names), arg)
}

// nearest are the two names that take the fewest edits to become arg.
func nearest(arg string, entries []Entry) []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	// What people type is the beginning of a name.
	beginning := func(name string) string { return name[:min(len(arg), len(name))] }
	slices.SortStableFunc(names, func(a, b string) int {
		return hint.Distance(arg, beginning(a)) - hint.Distance(arg, beginning(b))
	})
	return names[:min(2, len(names))]
}
