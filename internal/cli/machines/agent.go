package machines

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/kube/hold"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/site"
	"plinth/internal/wire"
)

func (a *app) agentCommand() *cobra.Command {
	var inPod bool
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Run as plinth's agent for another machine",
		Long: `Carry out on this machine the requests of plinth on another machine, over standard
input and output; no port is opened. plinth starts its agents itself, over ssh or with
the command of at:. When the connection ends or falls silent, the agent removes what
it created and undoes every change.

In a pod of plinth, --hold ends the pod when the agent ends, for whatever reason.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitPutBack),
		Example: `  plinth run experiment.yaml --on ssh://db1
  docker exec -i pg plinth agent`,
		Args: base.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if inPod {
				return a.endPod(cmd.Context(), a.serveMachine)
			}
			return a.serveMachine(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&inPod, "hold", false, "end the plinth hold of this container with the agent's exit code")
	return cmd
}

func (a *app) serveMachine(ctx context.Context) error {
	rw, err := wire.Stdio()
	if err != nil {
		return err
	}
	if err := base.EnoughFiles(); err != nil {
		return err
	}
	return agent.Serve(ctx, site.NewLocal(), rw, agent.Options{Version: a.Version})
}

// endPod ends the plinth hold of this container with the exit code of serve, once this process has ended:
// it may have something to say before.
func (a *app) endPod(ctx context.Context, serve func(context.Context) error) error {
	var err error
	if a.pod, err = hold.Join(ctx); err != nil {
		return err
	}
	if err := a.pod.End(hold.Outcome{Code: base.ExitFailed, Why: "the agent was killed"}); err != nil {
		return err
	}
	err = serve(ctx)
	return errors.Join(err, a.pod.End(hold.Outcome{Code: base.ExitCode(err), Why: "the agent has ended"}))
}
