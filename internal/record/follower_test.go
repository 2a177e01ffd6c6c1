package record_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/record"
)

// TestFollowerIsOpen checks that a long-lived Follower returns what Open returns, whatever a
// writer does and however files other than runs are edited or damaged.
func TestFollowerIsOpen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newRecord(t, t.TempDir())
		path, number := w.Path(), 0
		defer func() { _ = w.Close() }() // it may be closed already
		follower := record.NewFollower(path)
		steps := map[string]func(){
			"run": func() {
				number++
				run := newRun(runID(rapid.SampledFrom([]string{"disk", "ram"}).Draw(rt, "environment"), number), number)
				pending, err := w.Begin(run.RunID)
				if err != nil {
					return // closed
				}
				if rapid.Bool().Draw(rt, "drop") {
					must(t, pending.Drop())
					return
				}
				must(t, pending.Commit(run, record.Points{}))
			},
			"save": func() {
				_ = w.Save(&record.Summary{Name: "two-disks", State: record.Running, Planned: rapid.IntRange(1, 9).Draw(rt, "planned")})
			},
			"environment": func() {
				version := rapid.SampledFrom([]string{"15", "16"}).Draw(rt, "version")
				_ = w.WriteEnvironment(record.Environment{Name: "disk", Version: version})
			},
			"tell":  func() { _ = w.Tell(record.Now{Step: "loading"}) },
			"close": func() { _ = w.Close() },
			"reopen": func() {
				if again, err := record.Reopen(path); err == nil {
					w = again
				}
			},
			"edit": func() {
				text := rapid.SampledFrom([]string{"name: one\n", "name: two\n"}).Draw(rt, "text")
				must(t, os.WriteFile(filepath.Join(path, "experiment.yaml"), []byte(text), 0o644))
			},
			"damage":  func() { must(t, os.WriteFile(filepath.Join(path, "record.json"), []byte("{"), 0o644)) },
			"symlink": func() { _ = os.Symlink("record.json", filepath.Join(path, "link")) },
			"unlink":  func() { _ = os.Remove(filepath.Join(path, "link")) },
			"nothing": func() {},
		}
		names := []string{"run", "run", "run", "save", "save", "environment", "tell", "close", "reopen", "edit", "damage", "symlink", "unlink", "nothing"}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			step := rapid.SampledFrom(names).Draw(rt, "step")
			steps[step]()
			got, gotErr := follower.Record()
			want, wantErr := record.Open(path)
			if !reflect.DeepEqual(got, want) || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
				rt.Fatalf("after %s the follower reads %+v, %v\nwant %+v, %v", step, got, gotErr, want, wantErr)
			}
			if again, err := follower.Record(); again != got || (err == nil) != (gotErr == nil) {
				rt.Fatalf("after %s the follower returns another record though nothing has changed", step)
			}
		}
	})
}

// TestFollowerReadsARunOnce modifies a run's file: the Follower must not read it again.
func TestFollowerReadsARunOnce(t *testing.T) {
	w := newRecord(t, t.TempDir())
	commit(t, w, newRun(runID("disk", 1), 1))
	follower := record.NewFollower(w.Path())
	first, err := follower.Record()
	must(t, err)
	replace(runDir+"/run.json", `"tps": 1000`, `"tps": 2000`)(t, w.Path())
	commit(t, w, newRun(runID("disk", 2), 2))
	second, err := follower.Record()
	if err != nil || len(second.Runs) != 2 || second.Runs[0].Result.TPS != 1000 {
		t.Fatalf("%v; want 2 runs, the first as it was read", err)
	}
	if len(first.Runs) != 1 {
		t.Error("the record that was returned before has changed")
	}
}

// TestFollowerOfDamage checks that a damaged run is an error until it is repaired.
func TestFollowerOfDamage(t *testing.T) {
	w := newRecord(t, t.TempDir())
	follower := record.NewFollower(w.Path())
	_, err := follower.Record()
	must(t, err)
	commit(t, w, newRun(runID("disk", 1), 1))
	good, err := os.ReadFile(filepath.Join(w.Path(), runDir, "run.json"))
	must(t, err)
	write(runDir+"/run.json", "{")(t, w.Path())
	if rec, err := follower.Record(); err == nil {
		t.Fatalf("read %+v", rec.Runs)
	}
	write(runDir+"/run.json", string(good))(t, w.Path())
	if rec, err := follower.Record(); err != nil || len(rec.Runs) != 1 {
		t.Errorf("put right: %v", err)
	}
}

// TestFollowerOfAnotherRecord checks that a deleted record is an error, and that another record
// in its place is read.
func TestFollowerOfAnotherRecord(t *testing.T) {
	store := t.TempDir()
	w := newRecord(t, store)
	commit(t, w, newRun(runID("disk", 1), 1))
	follower := record.NewFollower(w.Path())
	_, err := follower.Record()
	must(t, err)
	must(t, os.Rename(w.Path(), w.Path()+"-moved"))
	if _, err := follower.Record(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted: %v", err)
	}
	other := newRecord(t, store)
	run := newRun(runID("disk", 1), 1)
	run.Result.TPS = 7
	commit(t, other, run)
	if rec, err := follower.Record(); err != nil || other.Path() != w.Path() || rec.Runs[0].Result.TPS != 7 {
		t.Errorf("another record: %v", err)
	}
}
