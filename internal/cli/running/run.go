package running

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/cli/elsewhere"
	"plinth/internal/cli/pages"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/summary"
	"plinth/internal/runner"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/preview"
	"plinth/internal/serve"
)

type runFlags struct {
	sets     []string
	storage  string
	machine  elsewhere.MachineFlags // of environments without one
	quick    bool
	publish  bool // the published form
	resume   string
	print    bool // the file, instead of running it
	self     bool // compare the baseline with itself
	dryRun   bool
	commands bool // with dryRun: print an administrator's commands
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
Without an argument, run the quickstart: what does a commit cost on this disk, and
on a gp3 volume? (If a gp3 volume cannot be emulated, it compares with memory.)

Every run is committed to the record when it ends. Ctrl-C stops cleanly and keeps
the record, which --resume completes later.` +
			base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack, base.ExitMachineChanged, base.ExitInterrupted),
		Example: `  plinth run
  plinth run my-experiment.yaml --dry-run
  plinth run my-experiment.yaml --dry-run --commands
  plinth run my-experiment.yaml --serve
  plinth run storage-baseline --quick --storage /mnt/ssd
  plinth run storage-baseline --set duration=2s --set dataset.scale=5
  plinth run storage-baseline --print > my-experiment.yaml
  plinth run --resume latest`,
		Args: base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := base.Usage(base.NoneEmpty(cmd.Flags())); err != nil {
				return err
			}
			if flags.print {
				return a.printFile(args, cmd.Flags())
			}
			return a.runOrPreview(cmd.Context(), args, flags)
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&flags.print, "print", false, "print the experiment's file, to edit and run; start nothing")
	cmd.Flags().StringVar(&flags.resume, "resume", "", "complete the missing runs of `RECORD`")
	return cmd
}

// register adds the flags that all commands share that run an experiment.
func (flags *runFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&flags.sets, "set", nil, "override `KEY=VALUE` of the experiment: duration=2s, dataset.scale=5")
	f.StringVar(&flags.storage, "storage", "", "directory or `VOLUME` under every environment: short for --set storage.data=VOLUME")
	flags.machine.Register(f, "run the environments without a machine of their own (at) on `ssh://HOST`")
	f.BoolVar(&flags.quick, "quick", false, "run the experiment's short form: short for --set form=quick")
	f.BoolVar(&flags.publish, "published", false, "run it with the published sizes and durations: short for --set form=published")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print the order of runs and their requirements; start nothing")
	f.BoolVar(&flags.commands, "commands", false, "with --dry-run: print the shell commands that set up the storage; for environments on Kubernetes, their objects as YAML")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "show no progress")
	f.BoolVar(&flags.json, "json", false, "print the result as JSON")
	f.BoolVar(&flags.serve, "serve", false, "show the run live in the browser; on a terminal, until Ctrl-C")
}

// abbreviated returns sets with those that other flags are short for. It puts them first, because
// later ones override them.
func (flags *runFlags) abbreviated() []string {
	var sets []string
	if flags.quick {
		sets = append(sets, "form="+experiment.FormQuick)
	}
	if flags.publish {
		sets = append(sets, "form="+experiment.FormPublished)
	}
	switch on := flags.machine; {
	case on.Become != "":
		sets = append(sets, fmt.Sprintf("at={ssh: %q, become: %q}", on.On, on.Become))
	case on.On != "":
		sets = append(sets, "at="+on.On)
	}
	if flags.storage != "" {
		sets = append(sets, "storage.data="+flags.storage)
	}
	return append(sets, flags.sets...)
}

// together returns an error if flags contradict each other.
func (flags *runFlags) together() error {
	switch {
	case flags.serve && flags.dryRun:
		return hint.Errorf("leave one of them out", "--dry-run creates no record for --serve to show")
	case flags.commands && !flags.dryRun:
		return hint.Errorf("add --dry-run; without it, plinth runs the commands itself", "--commands requires --dry-run")
	case flags.commands && flags.json:
		return hint.Errorf("leave one of them out", "--commands and --json cannot be used together")
	case flags.quick && flags.publish:
		return hint.Errorf("choose one of them", "--quick and --published cannot be used together")
	case flags.machine.Become != "" && flags.machine.On == "":
		return hint.Errorf("add --on ssh://HOST, or write become: sudo into the at of an environment", "--become requires --on")
	}
	return nil
}

func (a *app) runOrPreview(ctx context.Context, args []string, flags runFlags) error {
	if err := flags.together(); err != nil {
		return base.Usage(err)
	}
	options, err := a.chosen(args, flags)
	if err != nil {
		return err
	}
	if flags.commands {
		lines, err := preview.Commands(options.Experiment, a.Version)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Stdout, strings.TrimSpace(strings.Join(lines, "\n")))
		return nil
	}
	machines := &elsewhere.Machines{Version: a.Version, Agents: flags.machine.Agents, Say: a.View(flags.quiet).Say, Latest: map[string]agent.Process{}}
	if err := machines.Connect(ctx, options.Experiment); err != nil {
		return err
	}
	options.Site = machines.Site
	defer machines.Close()
	if flags.dryRun {
		return a.dryRun(ctx, options, flags)
	}
	if err := base.EnoughFiles(); err != nil {
		return err
	}
	server, err := a.serveRun(options, flags)
	if err != nil {
		return err
	}
	if server == nil {
		_, err := a.run(ctx, options, machines, flags)
		return err
	}
	defer server.Stop()
	options.Opened = func(path string) { fmt.Fprintln(a.Stderr, "page: "+server.URL(filepath.Base(path))) }
	path, err := a.run(ctx, options, machines, flags)
	// On a terminal, the page of a finished run stays available until Ctrl-C. A script gets its
	// exit code at once; so does a user after Ctrl-C or an error.
	if err != nil || ctx.Err() != nil || !a.View(false).Terminal {
		return err
	}
	a.OnStop(stopShowing)
	fmt.Fprintf(a.Stderr, "\nstill serving at %s until Ctrl-C\n", server.URL(filepath.Base(path)))
	return server.Wait(ctx)
}

const stopShowing = "the record is complete"

// run runs the experiment and prints its tables, also after an early end, so that no measurement
// is lost. It returns the path of the record.
func (a *app) run(ctx context.Context, options runner.Options, machines *elsewhere.Machines, flags runFlags) (string, error) {
	view := a.View(flags.quiet)
	// A leftover that cannot be removed now (a database on a server that is gone) does not
	// prevent a measurement: everything that a run creates has unique names.
	if err := a.CleanBefore(ctx, view); err != nil {
		return "", err
	}
	options.Plan = func(e *experiment.Experiment) (lines []string) {
		for _, text := range planLines(e) {
			lines = append(lines, strings.Split(strings.TrimSuffix(prose.Paragraph(text).Text(view.Width), "\n"), "\n")...)
		}
		return lines
	}
	if options.Resume != nil {
		pages.DropReports(options.Resume)
	}
	s := &sessions{app: a, options: options, machines: machines, view: view}
	path, err := s.run(ctx)
	view.End()
	if path == "" {
		return "", err
	}
	if _, gone := os.Stat(path); err != nil && gone != nil { // err says why
		return path, err
	}
	return path, errors.Join(err, a.conclude(path, s.options, flags))
}

// conclude prints the results of a finished experiment, writes its reports, and prints the path
// of the record and the next command.
func (a *app) conclude(path string, options runner.Options, flags runFlags) error {
	rec, err := record.Open(path)
	if err != nil {
		return err
	}
	format := "text"
	if flags.json {
		format = "json"
	}
	if len(rec.Runs) > 0 || flags.json { // otherwise the table would be empty
		err = summary.Write(a.Stdout, rec, format, summary.Options{Width: a.Width(), Brief: true})
	}
	if err != nil { // a full disk or a closed pipe
		err = hint.Errorf("show them with plinth show "+rec.Path, "cannot print the results: %w", err)
	}
	if noise := rec.Summary.Noise; len(noise) > 0 && !flags.json {
		a.printPower(options.Experiment, filepath.Base(path), noise, 0)
	}
	pages.LeaveReports(a.Stderr, rec, flags.quiet)
	if flags.quiet {
		return err
	}
	fmt.Fprintf(a.Stderr, "record: %s\n", rec.Path)
	plinth := os.Args[0] // as invoked: it may not be in PATH
	if rec.Summary.State != record.Complete {
		fmt.Fprintf(a.Stderr, "next:   %s run %s--resume %s\n", plinth, again(options), rec.Path)
		return err
	}
	next := "show"
	if rec.Summary.Plan != nil {
		next = "compare" // show has the tables of each environment
	}
	fmt.Fprintf(a.Stderr, "next:   %s %s %s\n", plinth, next, rec.Path)
	return err
}

// again returns the experiment's name for the command that resumes it. It is needed only if a
// connection string has a password, which the record does not contain.
func again(options runner.Options) string {
	for _, e := range options.Experiment.Environments {
		if e.Connect.Secret() != e.Connect.String() {
			return options.Source + " "
		}
	}
	return ""
}

// serveRun serves the store while an experiment runs; it returns nil without --serve.
func (a *app) serveRun(options runner.Options, flags runFlags) (*serve.Server, error) {
	if !flags.serve {
		return nil, nil //nolint:nilnil // without --serve there is no server
	}
	if options.Resume == nil {
		return pages.ServeBeside(a.App, a.Store)
	}
	path, err := filepath.Abs(options.Resume.Path) // it may be outside the store
	if err != nil {
		return nil, err
	}
	return pages.ServeBeside(a.App, filepath.Dir(path))
}
