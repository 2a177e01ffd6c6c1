package running

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/experiment/builtin"
	"plinth/internal/experiment/decode"
	"plinth/internal/record"
	"plinth/internal/record/index"
	"plinth/internal/runner"
	"plinth/internal/runner/preview"
)

// chosen finds the experiment given by the arguments. With --resume and no argument it loads the
// experiment from its source, so that an edit is noticed.
func (a *app) chosen(args []string, flags runFlags) (runner.Options, error) {
	flags.sets = flags.abbreviated()
	options := runner.Options{
		Version: a.Version, Store: a.Store, Hurry: a.Hurry, Command: base.Redacted(os.Args), Sets: base.Redacted(flags.sets),
		Overlooked: base.Overlooked,
	}
	var err error
	if options.Directory, err = os.Getwd(); err != nil {
		return options, fmt.Errorf("cannot determine the current directory: %w", err)
	}
	if flags.resume != "" {
		return resumed(options, args, flags)
	}
	options.Source = base.Quickstart
	if len(args) == 1 {
		options.Source = args[0]
	}
	if options.Source == base.Quickstart && !base.IsFile(base.Quickstart) {
		if flags.self { // the comparison of a machine with itself uses only its own disk
			options.Source = quickstartMemory
		} else if err := preview.CanEmulate(); err != nil {
			options.Source = quickstartMemory
			options.Announce = []string{"a gp3 volume cannot be emulated here (" + err.Error() + "): comparing with memory instead"}
		}
	}
	if flags.self {
		options.Source = selfPrefix + options.Source
	}
	options.Experiment, options.Warnings, err = load(options.Source, flags.sets)
	return options, err
}

// quickstartMemory is the quickstart that needs no emulated device.
const quickstartMemory = "quickstart-memory"

// load reads an experiment by its name, which may have selfPrefix.
func load(source string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	if of, self := strings.CutPrefix(source, selfPrefix); self {
		e, warnings, err := load(of, sets)
		if err == nil {
			err = itself(e, sets)
		}
		return e, warnings, err
	}
	return base.Load(source, sets)
}

// resumed finds the record to complete and its experiment. It loads the experiment from its
// source, or from the file given by the arguments, so that an edit is noticed and a password
// (which records do not contain) is available.
func resumed(options runner.Options, args []string, flags runFlags) (runner.Options, error) {
	path, err := index.Find(options.Store, flags.resume)
	if err != nil {
		return options, base.Usage(err)
	}
	if options.Resume, err = record.Open(path); err != nil {
		return options, base.Usage(err)
	}
	recorded, warnings, err := decode.Parse("experiment.yaml", options.Resume.ExperimentYAML, "", nil)
	if err != nil {
		return options, err
	}
	summary := options.Resume.Summary
	sets := append(slices.Clone(summary.Sets), recorded.Fixed()...)
	options.Source = summary.Source
	if len(args) == 1 {
		options.Source = args[0]
		sets = slices.DeleteFunc(sets, func(set string) bool { // those in the record have no password
			key, _, _ := strings.Cut(set, "=")
			return strings.HasSuffix(key, ".connect")
		})
		sets = append(sets, flags.sets...)
		options.Experiment, options.Warnings, err = load(options.Source, sets)
		return options, err
	}
	options.Experiment, options.Warnings, err = loadIn(summary.Directory, summary.Source, append(sets, flags.sets...))
	if os.IsNotExist(err) { // the source no longer exists: use the recorded experiment
		options.Experiment, options.Warnings, err = recorded, warnings, nil
		if len(flags.sets) > 0 {
			options.Experiment, options.Warnings, err = decode.Parse("experiment.yaml", options.Resume.ExperimentYAML, "", flags.sets)
		}
	}
	return options, err
}

// loadIn loads an experiment from the directory in which plinth was started originally, so that
// relative paths of the file and within it resolve the same.
func loadIn(directory, source string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	if err := os.Chdir(directory); err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.Chdir(here) }()
	of := strings.TrimPrefix(source, selfPrefix)
	same := func(b builtin.Info) bool { return b.Name == of }
	if !base.IsFile(of) && !slices.ContainsFunc(builtin.All(), same) {
		return nil, nil, os.ErrNotExist
	}
	return load(source, sets)
}
