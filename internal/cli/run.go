package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/runner"
	"plinth/internal/runner/preview"
)

type runFlags struct {
	sets     []string
	resume   string
	self     bool // compare the baseline with itself
	dryRun   bool
	commands bool // with dryRun: what an administrator would type
	quiet    bool
	serve    bool
	json     bool
}

func (a *app) runCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [FILE|NAME]",
		Short: "Run an experiment",
		Long: `Run an experiment: a YAML file, or the name of a built-in one (plinth list).
With no argument the quickstart: what does a commit cost on this disk, and on a
gp3 volume? (Where none can be emulated: against memory.)

Every run is committed to the record as it ends. Ctrl-C stops cleanly and keeps
the record, which --resume completes later.` +
			exitHelp(exitDone, exitFailed, exitUsage, exitPutBack, exitMachineChanged, exitInterrupted),
		Example: `  plinth run
  plinth run my-experiment.yaml --dry-run
  plinth run my-experiment.yaml --dry-run --commands
  plinth run my-experiment.yaml --serve
  plinth run storage-baseline --set duration=2s --set dataset.scale=5
  plinth run --resume latest`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runOrPreview(cmd.Context(), args, flags)
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringVar(&flags.resume, "resume", "", "complete what is missing in `RECORD`")
	return cmd
}

// register adds the flags that every command has which runs an experiment.
func (flags *runFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&flags.sets, "set", nil, "change a `KEY=VALUE` of the experiment: duration=2s, dataset.scale=5")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print the order of runs and what they need; start nothing")
	f.BoolVar(&flags.commands, "commands", false, "with --dry-run: the commands that lay out the storage, as an administrator types them")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "no progress")
	f.BoolVar(&flags.json, "json", false, "print the result as JSON")
	f.BoolVar(&flags.serve, "serve", false, "show it in the browser as it goes; on a terminal until Ctrl-C")
}

func (a *app) runOrPreview(ctx context.Context, args []string, flags runFlags) error {
	if err := flags.checkServe(); err != nil {
		return err
	}
	if flags.commands && !flags.dryRun {
		return &usageError{hint.Errorf("add --dry-run: plinth carries them out by itself otherwise", "--commands without --dry-run")}
	}
	options, err := a.chosen(args, flags)
	if err != nil {
		return err
	}
	if flags.commands {
		fmt.Fprintln(a.stdout, strings.TrimSpace(strings.Join(preview.Commands(options.Experiment), "\n")))
		return nil
	}
	if flags.dryRun {
		return a.dryRun(options, flags.json)
	}
	server, err := a.serveRun(options, flags)
	if err != nil {
		return err
	}
	options.Opened = a.tellPage(server)
	path, err := a.run(ctx, options, flags)
	return a.goOnServing(ctx, server, path, err)
}

// run carries the experiment out and prints its tables, also after an end that
// was not planned: what was measured is not lost. The path is that of its record.
func (a *app) run(ctx context.Context, options runner.Options, flags runFlags) (string, error) {
	view := a.view(flags.quiet)
	// What cannot be put back now (a database in a server that is gone) is no
	// reason not to measure: all that a run makes has names of its own.
	err := runner.Clean(ctx, view, false)
	if left := new(runner.PutBackError); errors.As(err, &left) {
		view.Say("warning: " + conninfo.Redact(err.Error()))
	} else if err != nil {
		return "", err
	}
	for _, text := range planLines(options.Experiment) {
		lines := strings.TrimSuffix(prose.Paragraph(text).Text(view.width), "\n")
		options.Announce = append(options.Announce, strings.Split(lines, "\n")...)
	}
	if options.Resume != nil {
		dropReports(options.Resume)
	}
	path, err := runner.Run(ctx, options, view)
	view.end()
	if path == "" {
		return "", err
	}
	if _, gone := os.Stat(path); err != nil && gone != nil { // and err says why
		return path, err
	}
	return path, errors.Join(err, a.conclude(path, options, flags))
}

func (a *app) conclude(path string, options runner.Options, flags runFlags) error {
	rec, err := record.Open(path)
	if err != nil {
		return err
	}
	format := "text"
	if flags.json {
		format = "json"
	}
	if len(rec.Runs) > 0 || flags.json { // else it would be a table of nothing
		err = report.Write(a.stdout, rec, format, report.Options{Width: a.width(), Brief: true})
	}
	if err != nil {
		return err
	}
	if noise := rec.Summary.Noise; len(noise) > 0 && !flags.json {
		a.tellPower(options.Experiment, filepath.Base(path), noise, 0)
	}
	a.leaveReports(rec, flags.quiet)
	if !flags.quiet {
		a.nextStep(rec, options)
	}
	return nil
}

// overlooked are the rules by which runs are not judged. It is empty but in tests.
var overlooked []string

// chosen finds the experiment that the arguments name. With --resume and no
// argument it is loaded from where it came from, so that an edit is noticed.
func (a *app) chosen(args []string, flags runFlags) (runner.Options, error) {
	options := runner.Options{
		Version: a.version, Store: a.store, Hurry: a.hurry, Command: redacted(os.Args), Sets: redacted(flags.sets),
		Overlooked: overlooked,
	}
	var err error
	if options.Directory, err = os.Getwd(); err != nil {
		return options, fmt.Errorf("cannot tell the current directory: %w", err)
	}
	if flags.resume != "" {
		return a.resumed(options, args, flags)
	}
	options.Source = quickstart
	if len(args) == 1 {
		options.Source = args[0]
	}
	if options.Source == quickstart && !isFile(quickstart) {
		options.Source, options.Announce = quickstartHere(flags.self)
	}
	if flags.self {
		options.Source = selfPrefix + options.Source
	}
	options.Experiment, options.Warnings, err = load(options.Source, flags.sets)
	return options, err
}

// The quickstart, and the one that needs no emulated device.
const (
	quickstart       = "quickstart"
	quickstartMemory = "quickstart-memory"
)

// quickstartHere is the quickstart that can be run here, and what is said where it is
// not the usual one. A machine is compared with itself on its own disk alone.
func quickstartHere(self bool) (name string, said []string) {
	if self {
		return quickstartMemory, nil
	}
	if err := preview.CanEmulate(); err != nil {
		return quickstartMemory, []string{"a gp3 volume cannot be emulated here (" + err.Error() + "): comparing with memory"}
	}
	return quickstart, nil
}

// load reads an experiment file, or a built-in experiment when there is no file
// of that name and it does not look like a path.
func load(source string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	if of, self := strings.CutPrefix(source, selfPrefix); self {
		e, warnings, err := load(of, sets)
		if err == nil {
			err = itself(e)
		}
		return e, warnings, err
	}
	if !isFile(source) && !strings.ContainsAny(source, "./") {
		return experiment.LoadBuiltin(source, sets)
	}
	return experiment.Load(source, sets)
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isBuiltin(name string) bool {
	for _, b := range experiment.Builtins() {
		if b.Name == name {
			return true
		}
	}
	return false
}

func redacted(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = conninfo.Redact(text)
	}
	return out
}

func writeJSON(a *app, v any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
