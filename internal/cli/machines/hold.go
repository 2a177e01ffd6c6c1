package machines

import (
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/kube/hold"
	"plinth/internal/unit"
)

// mostExitCode is the largest exit code that a process can have.
const mostExitCode = 255

func (a *app) holdCommand() *cobra.Command {
	var (
		silence unit.Duration
		then    int
	)
	cmd := &cobra.Command{
		Use:   "hold",
		Short: "Wait in a pod until its work is done",
		Long: `Wait as process 1 of a pod, until another process of the container ends the wait:
plinth agent --hold, or plinth hold end. plinth creates its pods with this command, and
then runs its agent in them. The exit code is that of the agent, or the one that was
given to plinth hold end. When process 1 ends, the kernel ends all other processes of
the container.

With --silence, the wait also ends when no heartbeat (plinth hold beat) has come for
that long. While an agent is there, none is needed: an agent notices by itself when
plinth is silent.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitInterrupted),
		Example: `  plinth hold
  plinth hold --silence 60s --then 0`,
		Args: base.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := base.FirstUsage(base.NoneEmpty(cmd.Flags()), isExitCode("--then", then)); err != nil {
				return err
			}
			text := "the pod was stopped"
			a.OnStop(text)
			outcome, err := hold.Wait(cmd.Context(), hold.Options{Silence: silence.Std(), Then: then})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stderr, "plinth hold: %s: exit code %d\n", outcome.Why, outcome.Code)
			if outcome.Code != base.ExitDone {
				return &base.ThereError{Code: outcome.Code}
			}
			return nil
		},
	}
	cmd.Flags().TextVar(&silence, "silence", unit.Duration(0), "end after so long without a heartbeat; 0s: never")
	cmd.Flags().IntVar(&then, "then", base.ExitFailed, "exit code after the silence")
	cmd.AddCommand(a.holdBeatCommand(), a.holdEndCommand())
	return cmd
}

func (a *app) holdBeatCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "beat",
		Short: "Send a heartbeat to the plinth hold of this container",
		Long: `Send a heartbeat to the plinth hold of this container, and another one whenever
something can be read from standard input, until it ends. A line on standard output
acknowledges each heartbeat.` + base.ExitHelp(base.ExitDone, base.ExitFailed),
		Example: `  plinth hold beat </dev/null`,
		Args:    base.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			base.EndAtOnce()
			return hold.Beats(cmd.Context(), os.Stdin, a.Stdout)
		},
	}
}

func (a *app) holdEndCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "end CODE",
		Short: "End the plinth hold of this container with an exit code",
		Long:  `End the plinth hold of this container, and with it the container, with an exit code.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage),
		Example: `  plinth hold end 0
  kubectl exec POD -- plinth hold end 1`,
		Args: func(cmd *cobra.Command, args []string) error {
			return base.Usage(hint.Wrap(cobra.ExactArgs(1)(cmd, args), cmd.UseLine()))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := strconv.Atoi(args[0])
			if err != nil {
				code = -1
			}
			if err := base.Usage(isExitCode(args[0], code)); err != nil {
				return err
			}
			base.EndAtOnce()
			guest, err := hold.Join(cmd.Context())
			if err != nil {
				return err
			}
			return guest.End(hold.Outcome{Code: code, Why: "plinth hold end"}) // when this process has ended
		},
	}
}

func isExitCode(name string, code int) error {
	if code < 0 || code > mostExitCode {
		return hint.Errorf(fmt.Sprintf("use a number from 0 to %d", mostExitCode), "%s: not a valid exit code", name)
	}
	return nil
}
