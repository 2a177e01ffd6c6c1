package runner

import (
	"errors"
	"strings"
	"testing"

	"plinth/internal/driver"
	"plinth/internal/record"
)

// interrupted returns a record of twoDisks that was cut off in its second block.
func interrupted(t *testing.T, w *world) *record.Record {
	t.Helper()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		if run == 4 {
			w.cancel()
		}
		return good(1000), nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if len(rec.Runs) != 3 {
		t.Fatalf("%d runs, %v", len(rec.Runs), err)
	}
	return rec
}

func TestResumeOnAnotherDiskIsRefused(t *testing.T) {
	w := newWorld()
	w.disk = "/dev/nvme0n1"
	rec := interrupted(t, w)
	w = newWorld()
	w.disk = "/dev/sda1"
	rec, err := w.start(t, "", twoDisks, rec)
	var changed *MachineChangedError
	if !errors.As(err, &changed) || !strings.Contains(err.Error(), "/dev/nvme0n1") || w.driven > 0 {
		t.Errorf("error %v after %d runs, want a MachineChangedError that names the disk, before any", err, w.driven)
	}
	if len(rec.Runs) != 3 || rec.Summary.State != record.Interrupted {
		t.Errorf("the record holds %d runs, %s", len(rec.Runs), rec.Summary.State)
	}
}

func TestWarningsAreNotDoubledByResuming(t *testing.T) {
	rec := interrupted(t, newWorld())
	w := newWorld()
	rec, err := w.start(t, "", twoDisks, rec)
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range rec.Summary.Warnings {
		if note.Rule == record.RuleBlockIncomplete {
			t.Errorf("complete, and still it says: %s", note.Text)
		}
	}
}

// An experiment that was interrupted while a dataset was loaded goes on as it began, and has all warnings.
func TestResumeAfterLoading(t *testing.T) {
	w := newWorld()
	w.loading = func(server string) {
		if server == "two" {
			w.cancel()
		}
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if len(rec.Runs) > 0 || len(rec.Environments) != 1 || !rec.Summary.SideBySide {
		t.Fatalf("%d runs, %d environments, side by side %t, %v", len(rec.Runs), len(rec.Environments), rec.Summary.SideBySide, err)
	}
	for range 2 {
		w = newWorld()
		w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
			if run == 4 && len(rec.Runs) == 0 {
				w.cancel()
			}
			return good(1000), nil
		}
		if rec, err = w.start(t, "", twoDisks, rec); err != nil && rec.Summary.State != record.Interrupted {
			t.Fatal(err)
		}
	}
	loads := 0
	for _, note := range rec.Summary.Warnings {
		if note.Rule == "one-load" {
			loads++
		}
	}
	if loads != 1 || rec.Summary.State != record.Complete {
		t.Errorf("%d warnings of a single load in %s: %+v", loads, rec.Summary.State, rec.Summary.Warnings)
	}
}

// With one server at a time, two never run at once, even after a failure.
func TestSwitching(t *testing.T) {
	w := newWorld()
	w.apart = true
	w.outcome = func(int, driver.Job) (*driver.Outcome, error) {
		up := 0
		for _, running := range w.up {
			if running {
				up++
			}
		}
		if up != 1 {
			t.Errorf("%d servers are up", up)
		}
		return good(1000), nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if err != nil || rec.Summary.SideBySide {
		t.Fatalf("%v, side by side %v", err, rec.Summary.SideBySide)
	}
	if w.count("stop ") == 0 {
		t.Error("no server was ever stopped")
	}
}
