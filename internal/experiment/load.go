package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"plinth/internal/strictyaml"
)

// Load reads an experiment file. Each of sets is a KEY=VALUE that takes the
// place of what the file says. Storage directories are made absolute below the
// current directory, so that the experiment means the same disks when it is
// resumed from elsewhere. Errors are of type *strictyaml.Error.
func Load(path string, sets []string) (*Experiment, []Warning, error) {
	shown := path
	if strictyaml.LooksSecret(path) { // a connection string in the wrong place
		shown = "…"
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, mistake("plinth list shows the built-in experiments", "cannot read %s: %v", shown, cause(err))
	}
	if info.IsDir() {
		return nil, nil, mistake("name the experiment file", "cannot read %s: it is a directory", shown)
	}
	data, err := readAtMost(path, maxFile)
	if err != nil {
		return nil, nil, mistake("", "cannot read %s: %v", shown, err)
	}
	e, warnings, err := Parse(path, data, filepath.Dir(path), sets)
	if err != nil {
		return nil, nil, err
	}
	return e, warnings, e.absolute()
}

// Parse reads an experiment from data. Filename is what mistakes name; scripts
// are read relative to dir, and not at all when dir is empty, as it should be
// for data that may come from a stranger. Errors are of type *strictyaml.Error.
func Parse(filename string, data []byte, dir string, sets []string) (*Experiment, []Warning, error) {
	s := newSource(filename)
	s.read(data)
	if err := s.Err(); err != nil {
		return nil, nil, err
	}
	for _, flag := range sets {
		s.set(flag)
	}
	s.unfold(dir)
	d := newDecoder(s)
	e := &Experiment{}
	setDefaults(reflect.ValueOf(e).Elem(), d.engine)
	d.section(s.root, reflect.ValueOf(e).Elem(), "experiment")
	d.complete(e)
	d.scripts(e, dir)
	d.deviceFiles(e, dir)
	d.profileFiles(e, dir)
	c := &checker{decoder: d, e: e}
	c.all()
	if err := s.Err(); err != nil {
		return nil, nil, err
	}
	return e, c.warnings, nil
}

// absolute makes the paths of own servers' storage absolute.
func (e *Experiment) absolute() error {
	for i := range e.Environments {
		for _, path := range e.Environments[i].paths() {
			if *path == "" {
				continue
			}
			abs, err := filepath.Abs(*path)
			if err != nil {
				return mistake("", "cannot tell the current directory: %v", err)
			}
			*path = abs
		}
	}
	return nil
}

// TelemetryOf says whether an environment is read while it is driven: "on" or "off".
func (e *Experiment) TelemetryOf(env Environment) string { return cmp.Or(env.Telemetry, e.Telemetry) }

// Warning is something that weakens what the experiment can say.
type Warning struct {
	Rule string // a short, stable name for programs
	Text string
	Hint string
}

// mistake is an error about the input as a whole, which has no place.
func mistake(hint, format string, args ...any) error {
	return &strictyaml.Error{Mistakes: []strictyaml.Mistake{{Text: fmt.Sprintf(format, args...), Hint: hint}}}
}

// KeysOf is how many keys of which size are loaded into an environment of Redis.
func (e *Experiment) KeysOf(env Environment) KeyDataset {
	own := env.Dataset
	if own.Keys == 0 {
		return KeyDataset{e.Dataset.Keys, e.Dataset.Size}
	}
	return KeyDataset{own.Keys, cmp.Or(own.Size, e.Dataset.Size, e.Payload)}
}

// SettingsOf is the settings that the file declares for an environment: its own
// on top of the experiment's. Case does not count in the name of a setting.
func (e *Experiment) SettingsOf(env Environment) map[string]string {
	settings := map[string]string{}
	for _, declared := range []map[string]string{e.Settings, env.Settings} {
		for name, value := range declared {
			maps.DeleteFunc(settings, func(other, _ string) bool { return strings.EqualFold(name, other) })
			settings[name] = value
		}
	}
	return settings
}

// Fixed is what an experiment settled when it was first loaded, as --set values:
// loading its file again with them gives the same experiment, unless it was edited.
func (e *Experiment) Fixed() []string {
	fixed := []string{fmt.Sprintf("seed=%d", e.Seed)}
	if e.Dataset.Fit {
		fixed = append(fixed, fmt.Sprintf("dataset.scale=%d", e.Dataset.Scale))
	}
	return fixed
}
