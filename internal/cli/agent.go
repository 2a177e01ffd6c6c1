package cli

import (
	"github.com/spf13/cobra"

	"plinth/internal/runner/agent"
	"plinth/internal/runner/site"
	"plinth/internal/wire"
)

func (a *app) agentCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "agent",
		Short: "Serve this machine to plinth on another one",
		Long: `Carry out on this machine what a plinth on another machine asks for, over standard
input and output; nothing listens. plinth starts its agents itself, over ssh or with
the command of at:. When the connection ends, the agent removes what it put up and
undoes every change.` + exitHelp(exitDone, exitFailed, exitPutBack),
		Example: `  plinth run experiment.yaml --on ssh://db1
  docker exec -i pg plinth agent`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rw, err := wire.Stdio()
			if err != nil {
				return err
			}
			if err := enoughFiles(); err != nil {
				return err
			}
			return agent.Serve(cmd.Context(), site.NewLocal(), rw, agent.Options{Version: a.version})
		},
	}
}
