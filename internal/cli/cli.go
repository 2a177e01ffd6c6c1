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

	"plinth/internal/hint"
)

// Main runs plinth with args (without the program's name) and returns its exit code.
func Main(args []string, stdout, stderr io.Writer, version string) int {
	// A closed pipe (| head, or a tee that got the Ctrl-C, too) must not kill plinth before its
	// cleanup; writes fail instead. SIGPIPE is caught, not ignored: the programs that plinth
	// starts would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	printed := &printer{Writer: stdout}
	a := &app{stdout: printed, stderr: stderr, version: version, args: args}
	root := newRoot(a)
	root.SetArgs(args)
	ctx, stop := a.interruptible()
	defer stop()
	err := root.ExecuteContext(ctx)
	if mistake := new(usageError); printed.err != nil && (err == nil || errors.As(err, &mistake) && errors.Is(err, printed.err)) {
		err = fmt.Errorf("cannot print: %w", printed.err)
	}
	complain(stderr, err)
	return exitCode(err)
}

// Commands returns the command line, for man pages and completions.
func Commands(version string) *cobra.Command {
	return newRoot(&app{stdout: io.Discard, stderr: io.Discard, version: version})
}

func newRoot(a *app) *cobra.Command {
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
		Version:       a.version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(flagHint(cmd, err)) })
	root.PersistentFlags().StringVar(&a.store, "store", "results", "directory that holds the records")
	run := func(ctx context.Context, path string) error { return runFile(ctx, a, path) }
	root.AddCommand(slices.Concat(runningCommands(a), recordsCommands(a), predictingCommands(a), placingCommands(a, run), machinesCommands(a))...)
	for _, c := range slices.Concat(probingCommands(a), tuningCommands(a)) {
		root.AddCommand(onMachine(a, c))
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
