package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/record"
)

// onlyRecord returns the path of the only record in store.
func onlyRecord(t *testing.T, store string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(store, "*", "record.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d records in the store, %v", len(found), err)
	}
	return filepath.Dir(found[0])
}

// During a run, now.json names it and is not rewritten; at the end the file is removed.
func TestNowIsToldOfEachRunAndNotWhileItIsMeasured(t *testing.T) {
	w, store := newWorld(), t.TempDir()
	w.outcome = func(run int, job driver.Job) (*driver.Outcome, error) {
		path := onlyRecord(t, store)
		now, err := record.ReadNow(path)
		if err != nil || now == nil {
			t.Fatalf("run %d: now is %v, %v", run, now, err)
		}
		want := fmt.Sprintf("%s/%s/", serverOf(job), job.Cell.Path())
		if now.Step != "driving" || *now.Cell != job.Cell || now.Environment != serverOf(job) ||
			!strings.HasPrefix(now.Path, want) || now.Run != run || now.Runs != 16 {
			t.Errorf("run %d: now is %+v, want it driving in %s", run, now, want)
		}
		before, err := os.Stat(filepath.Join(path, "now.json"))
		if err != nil {
			t.Fatal(err)
		}
		for second := range 3 {
			job.Live(record.Point{Second: float64(second), TPS: float64(run)})
		}
		after, err := os.Stat(filepath.Join(path, "now.json"))
		if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
			t.Errorf("run %d: now.json was written while a load was measured (%v)", run, err)
		}
		points, err := livePoints(t, path, 3)
		if err != nil || len(points) != 3 || points[2].TPS != float64(run) {
			t.Errorf("run %d: live points %v, %v", run, points, err)
		}
		return good(1000), nil
	}
	rec, err := w.start(t, store, twoDisks, nil)
	if err != nil || len(rec.Runs) != 16 {
		t.Fatalf("%d runs, %v", len(rec.Runs), err)
	}
	if _, err := os.Stat(filepath.Join(rec.Path, "now.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("now.json is there after the end: %v", err)
	}
}

// livePoints returns the live points of a run once there are n: an agent passes them on later.
func livePoints(t *testing.T, path string, n int) (all []record.Point, err error) {
	live := record.NewLiveReader(path)
	defer func() { err = errors.Join(err, live.Close()) }()
	late := life.Poll(t.Context(), time.Minute, func() bool {
		points, _, failed := live.Read()
		all, err = append(all, points...), failed
		return err != nil || len(all) >= n
	})
	return all, errors.Join(err, late)
}

// A failure to write progress stops no run, and causes one warning only.
func TestNowThatCannotBeToldIsOneWarning(t *testing.T) {
	w, store := newWorld(), t.TempDir()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		if now := filepath.Join(onlyRecord(t, store), "now.json"); run == 1 {
			if err := errors.Join(os.Remove(now), os.MkdirAll(filepath.Join(now, "in", "the", "way"), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		return good(1000), nil
	}
	rec, err := w.start(t, store, twoDisks, nil)
	if err != nil || rec.Summary.Counts.Valid != 16 {
		t.Fatalf("%+v, %v; want 16 valid runs", rec.Summary.Counts, err)
	}
	said := slices.DeleteFunc(w.view.said, func(line string) bool { return !strings.Contains(line, "now.json") })
	if len(said) != 1 || !strings.HasPrefix(said[0], "warning: ") {
		t.Errorf("said %q, want one warning", said)
	}
}

// A new step is published at once, its progress at most once a second.
func TestProgressIsToldOnceASecond(t *testing.T) {
	var told []string
	var at time.Time
	r := newRunner(Options{}, &silent{})
	r.progress.publisher = &publisher{
		write: func(n record.Now) error { told = append(told, n.Environment+" "+n.Detail); return nil },
		clock: func() time.Time { return at },
	}
	for _, step := range []struct {
		after    time.Duration
		env      string
		progress engine.Progress
	}{
		{0, "one", engine.Progress{Step: "tables"}},
		{100, "one", engine.Progress{Step: "accounts", Done: 10, Rows: 100}},
		{100, "one", engine.Progress{Step: "accounts", Done: 20, Rows: 100}},
		{900, "one", engine.Progress{Step: "accounts", Done: 30, Rows: 100}},
		{999, "one", engine.Progress{Step: "accounts", Done: 40, Rows: 100}},
		{0, "one", engine.Progress{Step: "vacuum"}},
		{0, "two", engine.Progress{Step: "vacuum"}},
		{999, "two", engine.Progress{Step: "vacuum"}},
	} {
		at = at.Add(step.after * time.Millisecond)
		r.loading(step.env, step.progress)
	}
	want := []string{"one tables", "one accounts, 10 %", "one accounts, 30 %", "one vacuum", "two vacuum"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q\nwant %q", told, want)
	}
}

// The time left decreases during a run, but not below the time of the runs to come.
func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		name         string
		done         int
		began, ended time.Duration // ago; ended is that of the last run
		want         time.Duration
	}{
		{"in the first run", 0, 5 * time.Second, 5 * time.Second, 8*10*time.Second - 5*time.Second},
		{"in the fifth", 4, 85 * time.Second, 5 * time.Second, 4*20*time.Second - 5*time.Second},
		{"in a fifth that takes long", 4, 180 * time.Second, 100 * time.Second, 3 * 20 * time.Second},
		{"after the last", 8, 85 * time.Second, 5 * time.Second, 0},
	} {
		now := time.Now()
		p := &progress{planned: 8, done: c.done, started: now.Add(-c.began), lastEnd: now.Add(-c.ended), runTime: 10 * time.Second}
		if got := p.left(); got > c.want || got < c.want-2*time.Second {
			t.Errorf("%s: %v left, want %v", c.name, got, c.want)
		}
	}
	if got := (&progress{planned: 8}).left(); got != 0 {
		t.Errorf("before the first run: %v left", got)
	}
}
