package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"plinth/internal/hint"
	"plinth/internal/report/output"
	"plinth/internal/report/tuning"
	"plinth/internal/runner"
	"plinth/internal/strictyaml"
	"plinth/internal/tune"
)

func (a *app) tuneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "What would help a database on this machine, and is it in force?",
		Long: `Work out what to change below and in a database, layer by layer: hypervisor, kernel,
CPUs, placement, disk queues, mount options, the server's own settings. plan says what
would change and why; apply makes the changes, each with a way back that is on disk
before it; verify shows what is really in force; rollback puts everything back.
render writes the same as files, so that nobody needs plinth for it at run time.

Alone it shows what is kept in force on this machine.` + exitHelp(exitDone, exitFailed, exitUsage, exitPutBack),
		Example: `  plinth tune plan
  plinth tune plan ebs-kernel --data /var/lib/postgresql
  plinth tune apply ebs-kernel --host -- pgbench -T 60 mydb
  plinth tune render oltp --to sysctl.d`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.tuneStatus(cmd.Context()) },
	}
	cmd.AddCommand(a.tunePlanCommand(), a.tuneRenderCommand(), a.tuneApplyCommand(), a.tuneVerifyCommand(),
		a.tuneAdoptCommand(), a.tuneRollbackCommand(), a.tuneProfilesCommand(), a.tuneKnobsCommand())
	return cmd
}

// tuneOptions are how what is about tuning is written.
func (a *app) tuneOptions(format string, asJSON bool) (tuning.Options, error) {
	if asJSON {
		format = "json"
	}
	if format == "md" {
		format = "markdown"
	}
	return tuning.Options{Format: format, Width: a.width()}, usage(output.Check(format, tuning.Formats))
}

// tuneError is an error of tuning with the exit code that it means: bad input, or that
// something could not be put back.
func tuneError(err error) error {
	var (
		file    *strictyaml.Error
		putBack *tune.PutBackError
		theirs  *tune.TheirsError
		locked  *tune.LockedError
	)
	switch {
	case errors.As(err, &file):
		return file
	case errors.As(err, &putBack), errors.As(err, &theirs):
		return &runner.PutBackError{Err: err}
	case errors.As(err, &locked):
		return hint.Wrap(err, hint.Of(err))
	}
	return err
}
