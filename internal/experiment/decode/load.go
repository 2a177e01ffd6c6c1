// Package decode reads an experiment from a YAML file. It is strict: it refuses unknown keys and
// values, with their line and column and the closest valid name.
package decode

import (
	"os"
	"path/filepath"
	"reflect"

	"plinth/internal/experiment"
	"plinth/internal/experiment/check"
	"plinth/internal/experiment/field"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// Load reads an experiment file. Each of sets is a KEY=VALUE that overrides the file. Relative paths
// of storage are made absolute, based on the current directory, so that an experiment resumed from
// another directory uses the same disks. Errors are of type *strictyaml.Error.
func Load(path string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	shown := path
	if strictyaml.LooksSecret(path) { // a connection string in the wrong place
		shown = "…"
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, mistake.Whole("plinth list shows the built-in experiments", "cannot read %s: %v", shown, cause(err))
	}
	if info.IsDir() {
		return nil, nil, mistake.Whole("give the path of the experiment file", "cannot read %s: it is a directory", shown)
	}
	data, err := readAtMost(path, maxFile)
	if err != nil {
		return nil, nil, mistake.Whole("", "cannot read %s: %v", shown, err)
	}
	e, warnings, err := Parse(path, data, filepath.Dir(path), sets)
	if err != nil {
		return nil, nil, err
	}
	if e.Imported {
		return nil, nil, mistake.Whole("write an experiment of your own: plinth run --help", "cannot run %s: it describes what others measured (imported: true)", shown)
	}
	return e, warnings, Absolute(e)
}

// Parse reads an experiment from data. Mistakes refer to the file as filename. Scripts and other files
// are read relative to dir; if dir is empty, none are read: use that for untrusted data. Errors are
// of type *strictyaml.Error.
func Parse(filename string, data []byte, dir string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	s := newSource(filename)
	s.read(data)
	if err := s.Err(); err != nil {
		return nil, nil, err
	}
	s.apply(sets)
	s.checkRemovals()
	s.unfold(dir)
	s.unfoldStorage()
	absent := s.leaveOut()
	d := newDecoder(s)
	e := &experiment.Experiment{Absent: absent}
	field.SetDefaults(reflect.ValueOf(e).Elem(), d.engine)
	d.section(s.root, reflect.ValueOf(e).Elem(), "experiment")
	d.shareMachine(e)
	d.complete(e)
	d.scripts(e, dir)
	d.deviceFiles(e, dir)
	d.profileFiles(e, dir)
	warnings := check.All(e, s.Notes)
	if err := s.Err(); err != nil {
		return nil, nil, err
	}
	return e, warnings, nil
}

// shareMachine gives the experiment's machine to the environments without one of their own.
func (d *decoder) shareMachine(e *experiment.Experiment) {
	for i := range e.Environments {
		if at := &e.Environments[i].At; !at.Given() {
			*at = e.At
			d.Places[at] = d.Places[&e.At]
		}
	}
	e.At = experiment.At{}
}

// Absolute makes the paths of the experiment's storage absolute, based on the current directory.
func Absolute(e *experiment.Experiment) error {
	for i := range e.Environments {
		for _, path := range e.Environments[i].Paths() {
			if *path == "" || e.Environments[i].At.There() { // it was checked to be absolute
				continue
			}
			abs, err := filepath.Abs(*path)
			if err != nil {
				return mistake.Whole("", "cannot determine the current directory: %v", err)
			}
			*path = abs
		}
	}
	return nil
}
