package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestRelationsAreRead checks that the statistics of tables and indexes are read once before a load and once
// after it, and are files of the run; an environment without telemetry has none.
func TestRelationsAreRead(t *testing.T) {
	w, read := newWorld(), 0
	w.relations = func() ([]byte, error) { read++; return fmt.Appendf(nil, "reading %d", read), nil }
	rec, err := w.start(t, t.TempDir(), watched, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range rec.Runs {
		got, err := rec.Relations(&run)
		switch {
		case run.Environment == "unseen" && !errors.Is(err, fs.ErrNotExist):
			t.Errorf("without telemetry: %v", err)
		case run.Environment == "seen" && (err != nil || string(got.Before) != "reading 1" || string(got.After) != "reading 2"):
			t.Errorf("%q and %q, %v", got.Before, got.After, err)
		}
	}
	var order []string
	for _, e := range w.events {
		if e == "relations seen" || strings.HasPrefix(e, "drive seen") {
			order = append(order, strings.Fields(e)[0])
		}
	}
	if read != 2 || !slices.Equal(order, []string{"relations", "drive", "relations"}) {
		t.Errorf("%d readings, in the order %v", read, order)
	}
}

// TestRelationsThatCannotBeRead checks that a run is valid without them, and says why they are missing.
func TestRelationsThatCannotBeRead(t *testing.T) {
	for failing := 1; failing <= 2; failing++ {
		w, read := newWorld(), 0
		w.relations = func() ([]byte, error) {
			if read++; read == failing {
				return nil, errors.New("permission denied")
			}
			return []byte("reading"), nil
		}
		rec, err := w.start(t, t.TempDir(), "name: blind\nworkloads: [select-only]\nclients: [1]\nrepeats: 1\nduration: 1s\nwarmup: 0s\nenvironments: {one: {}}\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		run := rec.Runs[0]
		said := func(n record.Note) bool {
			return n.Rule == "no-relations" && strings.Contains(n.Text, "permission denied")
		}
		if run.Status != record.Valid || !slices.ContainsFunc(run.Warnings, said) {
			t.Errorf("reading %d failed: %s, %+v", failing, run.Status, run.Warnings)
		}
		if _, err := rec.Relations(&run); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("reading %d failed: %v", failing, err)
		}
	}
}
