package cli

import (
	"os"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner"
)

// resumed finds the record that is to be completed and its experiment. That is
// loaded from where it came from, or from the file that the arguments name, so
// that an edit is noticed and a password (which no record holds) is found.
func (a *app) resumed(options runner.Options, args []string, flags runFlags) (runner.Options, error) {
	path, err := record.Find(a.store, flags.resume)
	if err != nil {
		return options, &usageError{err}
	}
	if options.Resume, err = record.Open(path); err != nil {
		return options, &usageError{err}
	}
	recorded, warnings, err := experiment.Parse("experiment.yaml", options.Resume.ExperimentYAML, "", nil)
	if err != nil {
		return options, err
	}
	summary := options.Resume.Summary
	sets := append(slices.Clone(summary.Sets), recorded.Fixed()...)
	options.Source = summary.Source
	if len(args) == 1 {
		options.Source = args[0]
		sets = slices.DeleteFunc(sets, connects) // those of the record lost their password
		sets = append(sets, flags.sets...)
		options.Experiment, options.Warnings, err = load(options.Source, sets)
		return options, err
	}
	options.Experiment, options.Warnings, err = loadIn(summary.Directory, summary.Source, append(sets, flags.sets...))
	if os.IsNotExist(err) { // its source is gone: what the record holds is all there is
		options.Experiment, options.Warnings, err = recorded, warnings, nil
	}
	return options, err
}

func connects(set string) bool {
	key, _, _ := strings.Cut(set, "=")
	return strings.HasSuffix(key, ".connect")
}

// loadIn loads an experiment as from the directory in which plinth was started
// then: relative paths of the file and in it mean what they meant.
func loadIn(directory, source string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	if err := os.Chdir(directory); err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.Chdir(here) }()
	if of := strings.TrimPrefix(source, selfPrefix); !isFile(of) && !isBuiltin(of) {
		return nil, nil, os.ErrNotExist
	}
	return load(source, sets)
}
