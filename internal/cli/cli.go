// Package cli implements the command line of plinth: its commands, messages and exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/cli/machines"
	"plinth/internal/cli/placing"
	"plinth/internal/cli/predicting"
	"plinth/internal/cli/probing"
	"plinth/internal/cli/records"
	"plinth/internal/cli/running"
	"plinth/internal/cli/tuning"
	"plinth/internal/hint"
)

// Main runs plinth with args (without the program's name) and returns its exit code.
func Main(args []string, stdout, stderr io.Writer, version string) int {
	// A closed pipe (| head, or a tee that got the Ctrl-C, too) must not kill plinth before its
	// cleanup; writes fail instead. SIGPIPE is caught, not ignored: the programs that plinth
	// starts would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	printed := &base.Printer{Writer: stdout}
	a := &base.App{Stdout: printed, Stderr: stderr, Version: version, Args: args}
	root := newRoot(a)
	root.SetArgs(args)
	ctx, stop := a.Interruptible()
	defer stop()
	err := root.ExecuteContext(ctx)
	if mistake := new(base.UsageError); printed.Err != nil && (err == nil || errors.As(err, &mistake) && errors.Is(err, printed.Err)) {
		err = fmt.Errorf("cannot print: %w", printed.Err)
	}
	base.Complain(stderr, err)
	return base.ExitCode(err)
}

// Commands returns the command line, for man pages and completions.
func Commands(version string) *cobra.Command {
	return newRoot(&base.App{Stdout: io.Discard, Stderr: io.Discard, Version: version})
}

func newRoot(a *base.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "plinth",
		Short: "Measure the system under a database",
		Long: `plinth measures the system under a database: the disk, filesystem and kernel that
PostgreSQL and Redis run on. An experiment file defines the environments to compare
and the load. plinth executes its runs in random order, stores all results in a
record, and reports which environment is better, and how certain that is.`,
		Example: `  plinth run quickstart          what does a commit cost on this disk?
  plinth run my-experiment.yaml
  plinth compare latest --fail-if worse
  plinth show latest`,
		Version:       a.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return base.Usage(flagHint(cmd, err)) })
	root.PersistentFlags().StringVar(&a.Store, "store", "results", "directory that holds the records")
	run := func(ctx context.Context, path string) error { return running.File(ctx, a, path) }
	root.AddCommand(slices.Concat(running.Commands(a), records.Commands(a), predicting.Commands(a), placing.Commands(a, run), machines.Commands(a))...)
	for _, c := range slices.Concat(probing.Commands(a), tuning.Commands(a)) {
		root.AddCommand(machines.OnMachine(a, c))
	}
	return root
}

// flagHint suggests the flag that was most likely meant.
func flagHint(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return hint.Wrap(err, hint.DidYouMean("--"+unknown.GetSpecifiedName(), names, cmd.CommandPath()+" --help lists them"))
}
