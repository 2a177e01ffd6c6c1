package record

import (
	"bytes"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"plinth/internal/record/files"
)

// Follower reads a record repeatedly while it is being written. Its cost depends on what is new:
// a run is read only once, since committed runs do not change, and nothing is read while the
// record's own directory is unchanged. It is safe for concurrent use.
type Follower struct {
	path string

	mu       sync.Mutex
	stamps   map[string]files.Stamp
	runs     map[string]Run // by path
	weight   files.Weight   // of runs
	kept     *kept          // of runs
	last     *Record        // as read, ignoring whether a writer is alive
	reported *Record        // as returned: last, or a copy of it with its state settled
}

// NewFollower returns a Follower of the record at path.
func NewFollower(path string) *Follower { return &Follower{path: path} }

// Record returns the record as Open would read it now, with the same checks, except that it does
// not read the files of known runs again. It returns the same pointer as long as nothing has
// changed, so callers can compare pointers to detect changes. The record is shared and must not
// be modified.
func (f *Follower) Record() (*Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.follow(); err != nil {
		f.last, f.reported, f.stamps = nil, nil, nil
		return nil, cannotRead(f.path, err)
	}
	f.settle()
	return f.reported, nil
}

// follow updates f.last.
func (f *Follower) follow() error {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return files.Bare(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	// Every change by the writer is a rename and so updates the mtime of the record's directory;
	// the stamps of single files detect manual edits.
	stamps, now := map[string]files.Stamp{}, time.Now()
	for _, name := range []string{".", summaryFile, experimentFile, importFile, machineFile, environmentsDir} {
		if info, err := root.Lstat(name); err == nil {
			stamps[name] = files.Stamp{Info: info, Taken: now}
		}
	}
	before := f.stamps["."].Info
	if before == nil || !os.SameFile(before, stamps["."].Info) {
		f.runs, f.weight, f.kept = map[string]Run{}, files.Weight{}, new(kept) // a different record took its place
	}
	if f.last != nil && maps.EqualFunc(f.stamps, stamps, func(a, b files.Stamp) bool { return a.Same(b.Info) }) {
		return nil
	}
	rec, err := read(root, f.path, f.newRuns)
	if err != nil {
		return err
	}
	rec.kept = f.kept
	if f.stamps = stamps; f.last == nil || !same(f.last, rec) {
		f.last, f.reported = rec, nil
	}
	return nil
}

// newRuns returns all runs and reads only those not known yet.
func (f *Follower) newRuns(root *os.Root, total *files.Total) ([]Run, error) {
	dirs, err := runDirectories(root)
	if err != nil {
		return nil, err
	}
	unknown := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
		_, known := f.runs[dir]
		return known
	})
	added := new(files.Total)
	read, err := readRunsIn(root, unknown, added)
	if err == nil {
		_ = added.Add(f.weight) // total has the same limits
		err = total.Add(added.Weight())
	}
	if err != nil {
		return nil, err
	}
	f.weight = added.Weight()
	known := map[string]Run{}
	for _, run := range read {
		known[run.Path()] = run
	}
	runs := make([]Run, 0, len(dirs))
	for _, dir := range dirs {
		run, there := known[dir]
		if !there {
			run = f.runs[dir]
		}
		known[dir] = run
		runs = append(runs, run)
	}
	slices.SortFunc(runs, inOrder)
	f.runs = known
	return runs, nil
}

// same reports whether two readings of a record are equal. Runs do not change.
func same(a, b *Record) bool {
	sameRun := func(a, b Run) bool { return a.Number == b.Number && a.RunID == b.RunID }
	return slices.EqualFunc(a.Runs, b.Runs, sameRun) && bytes.Equal(a.ExperimentYAML, b.ExperimentYAML) &&
		reflect.DeepEqual(a.Summary, b.Summary) && reflect.DeepEqual(a.Machine, b.Machine) &&
		reflect.DeepEqual(a.Environments, b.Environments)
}

// settle derives f.reported from f.last. The writer can appear or disappear without any file
// changing.
func (f *Follower) settle() {
	settled := f.last.Summary
	settled.settle(f.path)
	if f.reported != nil && f.reported.Summary.State == settled.State {
		return
	}
	f.reported = f.last
	if settled.State != f.last.Summary.State {
		interrupted := *f.last
		interrupted.Summary = settled
		f.reported = &interrupted
	}
}
