// Package cli implements the command line of plinth: its commands, messages and exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"plinth/internal/kube/hold"
)

// app holds what every command needs: the output streams and plinth's version.
type app struct {
	stdout, stderr io.Writer
	version        string
	store          string
	hurry          <-chan struct{} // closed at the second Ctrl-C
	// stopping replaces the message at the first Ctrl-C, for commands that run no experiment.
	stopping atomic.Pointer[string]
	args     []string    // as given
	pod      *hold.Guest // ends the pod with this process; nil outside a pod
}

// Main runs plinth with args (without the program's name) and returns its exit code.
func Main(args []string, stdout, stderr io.Writer, version string) int {
	// A closed pipe (| head, or a tee that got the Ctrl-C, too) must not kill plinth before its
	// cleanup; writes fail instead. SIGPIPE is caught, not ignored: the programs that plinth
	// starts would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	printed := &printer{Writer: stdout}
	a := &app{stdout: printed, stderr: stderr, version: version, args: args}
	root := a.root()
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
	return (&app{stdout: io.Discard, stderr: io.Discard, version: version}).root()
}

func (a *app) root() *cobra.Command {
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
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return &usageError{flagHint(cmd, err)} })
	root.PersistentFlags().StringVar(&a.store, "store", "results", "directory that holds the records")
	root.AddCommand(a.runCommand(), a.agentCommand(), a.holdCommand(), a.listCommand(), a.showCommand(), a.diagnoseCommand(), a.compareCommand(), a.importCommand(), a.reportCommand(), a.serveCommand(), a.selfCommand(), a.onMachine(a.inspectCommand()), a.onMachine(a.probeCommand()), a.onMachine(a.tuneCommand()), a.placeCommand(), a.layoutCommand(), a.devicesCommand(), a.instancesCommand(), a.pricesCommand(), a.costCommand(), a.adviseCommand(), a.predictCommand(), a.schemaCommand(), a.cleanCommand())
	return root
}

// interruptible returns a context that is cancelled at the first Ctrl-C (or SIGTERM or SIGHUP).
// At the second, a.hurry is closed: the cleanup is the same, but waits less for a server that
// does not answer.
func (a *app) interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	hurry := make(chan struct{})
	a.hurry = hurry
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		if _, open := <-signals; !open {
			return
		}
		text := "the run in progress is discarded, and everything is restored"
		if other := a.stopping.Load(); other != nil {
			text = *other
		}
		fmt.Fprintln(a.stderr, "\nstopping: "+text)
		cancel()
		if _, open := <-signals; open {
			close(hurry)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

// endAtOnce makes Ctrl-C end plinth immediately, for commands that only read: they hold nothing that
// would have to be undone.
func endAtOnce() { signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }

// stopLooking is the message at Ctrl-C for a command that changes nothing.
var stopLooking = "nothing was changed"
