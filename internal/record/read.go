package record

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/hint"
	"plinth/internal/record/files"
	"plinth/internal/strictyaml"
)

// Record is a record as read from its directory.
type Record struct {
	Path           string
	Summary        Summary
	ExperimentYAML []byte
	Machine        *Machine // nil in records of earlier versions
	Import         *Import  // nil unless it was imported
	Environments   map[string]Environment
	Runs           []Run // in ascending order of Number
	Size           int64 // bytes of the JSON files that were read; 0 if the record was not read from a directory

	parsed *parsed // nil if the record was not read from a directory
	kept   *kept   // likewise
}

// parsed is an experiment that is parsed on first use.
type parsed struct {
	once       sync.Once
	experiment *experiment.Experiment
	err        error
}

// Experiment returns the experiment as it was run, with every default written out. It is shared:
// callers must not modify it.
func (r *Record) Experiment() (*experiment.Experiment, error) {
	p := cmp.Or(r.parsed, new(parsed))
	p.once.Do(func() {
		p.experiment, p.err = r.ExperimentWith(nil)
	})
	return p.experiment, p.err
}

// ExperimentWith returns the experiment with some values changed, each as KEY=VALUE.
func (r *Record) ExperimentWith(sets []string) (*experiment.Experiment, error) {
	// No directory: a record may come from an untrusted source, and it contains its scripts.
	e, _, err := decode.Parse(experimentFile, r.ExperimentYAML, "", sets)
	if wrong := new(strictyaml.Error); errors.As(err, &wrong) {
		wrong.In = fmt.Sprintf("the experiment of record %s, which plinth %s wrote", filepath.Base(r.Path), cmp.Or(r.Summary.Plinth, "of an unknown version"))
	}
	return e, err
}

// Open reads the record at path, except for points, histogram logs and raw output. It is strict,
// since a record may be damaged or malicious: a missing, truncated or oversized file, a symlink
// anywhere, a run whose contents contradict its path, or a later schema is an error that names
// the file. Open never opens anything outside the directory.
//
// A record in state running without a live writer is reported as interrupted.
func Open(path string) (*Record, error) {
	rec, err := open(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	return rec, nil
}

func open(path string) (*Record, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, files.Bare(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	rec, err := read(root, path, readRuns)
	if err != nil {
		return nil, err
	}
	rec.Summary.settle(path)
	return rec, nil
}

// read reads a record as written, with the runs that the function runs returns.
func read(root *os.Root, path string, runs func(*os.Root, *files.Total) ([]Run, error)) (rec *Record, err error) {
	rec = &Record{Path: path, parsed: new(parsed), kept: new(kept)}
	total := new(files.Total)
	if rec.Summary, err = readSummary(root, total); err != nil {
		return nil, err
	}
	if rec.ExperimentYAML, err = files.Read(root, experimentFile, maxExperimentFile); err != nil {
		return nil, err
	}
	if rec.Machine, err = readMachine(root); err != nil {
		return nil, err
	}
	if rec.Import, err = readImport(root, total); err != nil {
		return nil, err
	}
	if rec.Environments, err = readEnvironments(root, total); err != nil {
		return nil, err
	}
	if rec.Runs, err = runs(root, total); err != nil {
		return nil, err
	}
	rec.Size = total.Weight().Bytes
	return rec, nil
}

// settle changes the state from running to interrupted if no writer is alive.
func (s *Summary) settle(path string) {
	if s.State == Running && !Live(path) {
		s.State, s.Reason = Interrupted, "plinth ended before the experiment was complete"
	}
}

// ReadSummary reads the summary of the record at path, with its state as written there.
func ReadSummary(path string) (Summary, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return Summary{}, files.Bare(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	return readSummary(root, nil)
}

func readSummary(root *os.Root, total *files.Total) (Summary, error) {
	if _, err := files.List(root, "."); err != nil {
		return Summary{}, err
	}
	var summary Summary
	if err := files.ReadJSON(root, summaryFile, maxSummaryFile, SummarySchema, &summary, total); err != nil {
		return Summary{}, err
	}
	summary.clip()
	return summary, checkState(summary.State)
}

func checkState(s State) error {
	if !slices.Contains([]State{Running, Complete, Interrupted}, s) {
		return files.Damaged(summaryFile, fmt.Errorf("state is %q", s))
	}
	return nil
}

func readEnvironments(root *os.Root, total *files.Total) (map[string]Environment, error) {
	environments := map[string]Environment{}
	entries, err := files.List(root, environmentsDir)
	if errors.Is(err, os.ErrNotExist) {
		return environments, nil // plinth died before the first server was up
	}
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name, isJSON := strings.CutSuffix(entry.Name(), ".json")
		if !isJSON {
			continue
		}
		file := environmentsDir + "/" + entry.Name()
		var e Environment
		if err := files.ReadJSON(root, file, maxEnvironmentFile, EnvironmentSchema, &e, total); err != nil {
			return nil, err
		}
		if e.Name != name {
			return nil, files.Damaged(file, fmt.Errorf("it describes the environment %q", e.Name))
		}
		if err := checkName("an environment", name); err != nil {
			return nil, files.Damaged(file, err)
		}
		if err := e.checkModels(); err != nil {
			return nil, files.Damaged(file, err)
		}
		clipNotes(e.Warnings)
		environments[name] = e
	}
	return environments, nil
}

// cannotRead adds the record's path and a hint.
func cannotRead(path string, err error) error {
	err = fmt.Errorf("cannot read record %s: %w", path, err)
	if hint.Of(err) != "" {
		return err
	}
	if _, missing := os.Stat(filepath.Join(path, summaryFile)); errors.Is(missing, os.ErrNotExist) {
		return hint.Wrap(err, "give the name of a record as plinth list prints it, or its directory")
	}
	return hint.Wrap(err, "restore the record from a copy")
}
