package record

import (
	"bytes"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"
)

// Follower reads a record again and again while it is written. What it costs
// follows from what is new: a run is never read twice, since a committed run does
// not change, and where no file in the record's own directory has changed,
// nothing is read. It may be used by several goroutines.
type Follower struct {
	path string

	mu     sync.Mutex
	stamps map[string]stamp
	runs   map[string]Run // by path
	last   *Record        // as read, without regard to whether there is a writer
	told   *Record        // as returned: last, or a copy of it that is settled
}

// NewFollower follows the record at path.
func NewFollower(path string) *Follower { return &Follower{path: path} }

// Record is the record as Open would read it now, with the same strictness; only
// the files of runs that it has read before are not looked at again. It returns
// the same pointer as long as nothing has changed, so comparing pointers tells
// whether there is something to show. The record is shared: it must not be
// changed.
func (f *Follower) Record() (*Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.follow(); err != nil {
		f.last, f.told, f.stamps = nil, nil, nil
		return nil, cannotRead(f.path, err)
	}
	f.settle()
	return f.told, nil
}

// follow brings f.last up to date.
func (f *Follower) follow() error {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return bare(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	// Whatever the writer does in the record's directory changes the time of that, since
	// all is done by renaming; the files are for what somebody edits by hand.
	stamps, now := map[string]stamp{}, time.Now()
	for _, name := range []string{".", summaryFile, experimentFile, machineFile, environmentsDir} {
		if info, err := root.Lstat(name); err == nil {
			stamps[name] = stamp{info, now}
		}
	}
	before := f.stamps["."].info
	if before == nil || !os.SameFile(before, stamps["."].info) {
		f.runs = map[string]Run{} // it is another record
	}
	if f.last != nil && maps.EqualFunc(f.stamps, stamps, func(a, b stamp) bool { return a.same(b.info) }) {
		return nil
	}
	rec, err := read(root, f.path, f.newRuns)
	if err != nil {
		return err
	}
	if f.stamps = stamps; f.last == nil || !same(f.last, rec) {
		f.last, f.told = rec, nil
	}
	return nil
}

// newRuns are all runs, of which those that are not known yet are read.
func (f *Follower) newRuns(root *os.Root) ([]Run, error) {
	dirs, err := runDirectories(root)
	if err != nil {
		return nil, err
	}
	unknown := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
		_, known := f.runs[dir]
		return known
	})
	read, err := readRunsIn(root, unknown)
	if err != nil {
		return nil, err
	}
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

// same says whether two readings of a record hold the same. Runs do not change.
func same(a, b *Record) bool {
	sameRun := func(a, b Run) bool { return a.Number == b.Number && a.RunID == b.RunID }
	return slices.EqualFunc(a.Runs, b.Runs, sameRun) && bytes.Equal(a.ExperimentYAML, b.ExperimentYAML) &&
		reflect.DeepEqual(a.Summary, b.Summary) && reflect.DeepEqual(a.Machine, b.Machine) &&
		reflect.DeepEqual(a.Environments, b.Environments)
}

// settle makes f.told of f.last. Whether there is a writer can change without
// any file.
func (f *Follower) settle() {
	settled := f.last.Summary
	settled.settle(f.path)
	if f.told != nil && f.told.Summary.State == settled.State {
		return
	}
	f.told = f.last
	if settled.State != f.last.Summary.State {
		interrupted := *f.last
		interrupted.Summary = settled
		f.told = &interrupted
	}
}
