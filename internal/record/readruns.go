package record

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
)

// readRuns reads every run, in order of Number.
func readRuns(root *os.Root, total *load) ([]Run, error) {
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

func readRunsIn(root *os.Root, dirs []string, total *load) ([]Run, error) {
	runs := make([]Run, len(dirs))
	if err := each(len(dirs), func(i int) error { return readRun(root, dirs[i], &runs[i], total) }); err != nil {
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
		entries, err := readDir(root, dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() {
				found = append(found, dir+"/"+entry.Name())
			}
		}
		if len(found) > maxEntries {
			return nil, errors.New("too many runs")
		}
	}
	return found, nil
}

func readRun(root *os.Root, dir string, run *Run, total *load) error {
	sub, err := root.OpenRoot(dir) // resolves the path once for all the files below
	if err != nil {
		return damaged(dir, bare(err))
	}
	defer func() { _ = sub.Close() }() // nothing was written
	if err := checkTree(sub, ".", 0); err != nil {
		return damaged(dir, err)
	}
	if err := readJSON(sub, runFile, maxRunFile, RunSchema, run, total); err != nil {
		return damaged(dir, err)
	}
	if err := run.check(dir); err != nil {
		return damaged(join(dir, runFile), err)
	}
	run.clip()
	return nil
}

// checkTree returns an error if a run's directory contains a symlink or another special file, or
// is nested too deeply.
func checkTree(root *os.Root, dir string, depth int) error {
	entries, err := readDir(root, dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if depth == 8 {
			return damaged(join(dir, entry.Name()), errors.New("nested too deeply"))
		}
		if err := checkTree(root, join(dir, entry.Name()), depth+1); err != nil {
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

// each calls do for 0 to n-1 on all CPUs and returns the error of the lowest number, so that the
// same record always gives the same message.
func each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var group sync.WaitGroup
	workers := min(n, runtime.GOMAXPROCS(0))
	for w := range workers {
		group.Go(func() {
			for i := w; i < n; i += workers {
				errs[i] = do(i)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
