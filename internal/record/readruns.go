package record

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"slices"

	"plinth/internal/record/files"
)

// readRuns reads every run, in order of Number.
func readRuns(root *os.Root, total *files.Total) ([]Run, error) {
	dirs, err := runDirectories(root)
	if err != nil {
		return nil, err
	}
	runs, err := readRunsIn(root, dirs, total)
	slices.SortFunc(runs, inOrder)
	return runs, err
}

// runDirectories returns the directories of the runs, those at the fourth level:
// runs/ENVIRONMENT/WORKLOAD/CELL/RUN.
func runDirectories(root *os.Root) ([]string, error) {
	dirs, err := subdirectories(root, []string{runsDir})
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // no run has been committed yet
	}
	for level := 1; level < 4 && err == nil; level++ {
		dirs, err = subdirectories(root, dirs)
	}
	return dirs, err
}

func readRunsIn(root *os.Root, dirs []string, total *files.Total) ([]Run, error) {
	runs := make([]Run, len(dirs))
	if err := files.Each(len(dirs), func(i int) error { return readRun(root, dirs[i], &runs[i], total) }); err != nil {
		return nil, err
	}
	return runs, nil
}

func inOrder(a, b Run) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Path(), b.Path()))
}

// subdirectories lists the directories in dirs. It ignores plain files: file managers leave
// theirs everywhere.
func subdirectories(root *os.Root, dirs []string) ([]string, error) {
	var found []string
	for _, dir := range dirs {
		entries, err := files.List(root, dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() {
				found = append(found, dir+"/"+entry.Name())
			}
		}
		if len(found) > files.MaxEntries {
			return nil, errors.New("too many runs")
		}
	}
	return found, nil
}

func readRun(root *os.Root, dir string, run *Run, total *files.Total) error {
	sub, err := root.OpenRoot(dir) // resolves the path once for all the files below
	if err != nil {
		return files.Damaged(dir, files.Bare(err))
	}
	defer func() { _ = sub.Close() }() // nothing was written
	if err := checkTree(sub, ".", 0); err != nil {
		return files.Damaged(dir, err)
	}
	if err := files.ReadJSON(sub, runFile, maxRunFile, RunSchema, run, total); err != nil {
		return files.Damaged(dir, err)
	}
	if err := run.check(dir); err != nil {
		return files.Damaged(path.Join(dir, runFile), err)
	}
	run.clip()
	return nil
}

// checkTree returns an error if a run's directory contains a symlink or another special file, or
// is nested too deeply.
func checkTree(root *os.Root, dir string, depth int) error {
	entries, err := files.List(root, dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if depth == 8 {
			return files.Damaged(path.Join(dir, entry.Name()), errors.New("nested too deeply"))
		}
		if err := checkTree(root, path.Join(dir, entry.Name()), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the run found in dir is not one that plinth wrote there.
func (r *Run) check(dir string) error {
	if err := r.RunID.check(); err != nil {
		return err
	}
	if r.Path() != dir {
		return fmt.Errorf("its contents belong to %s", r.Path())
	}
	if !slices.Contains([]Status{Valid, Invalid, Failed}, r.Status) {
		return fmt.Errorf("status is %q", r.Status)
	}
	if r.Number < 1 || r.Position < 1 {
		return fmt.Errorf("number is %d, position is %d", r.Number, r.Position)
	}
	for _, v := range []float64{r.Result.TPS, r.Result.Duration, r.Result.Latency.Mean, r.Phases.Dead} {
		if v < 0 || v > math.MaxFloat32 { // sums of accepted values stay finite
			return fmt.Errorf("%g is not a valid measurement", v)
		}
	}
	return nil
}
