package records

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/cli/pages"
	"plinth/internal/runner/engines"
	"plinth/internal/serve"
)

func (a *app) serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the store in the browser, with live runs",
		Long: `Show the store in the browser: the records, the page of each, a comparison of two,
and a run in progress, live. plinth serve only reads: it can be started and stopped
during plinth run, also by another user.

It listens on this machine only. For access from another machine, forward the port
(ssh -L 7432:localhost:7432 HOST), or listen on the network with --listen and open
the printed address, which contains a token that is required for access. The
connection is not encrypted.

It serves until Ctrl-C, and then exits with code 0.` +
			base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage),
		Example: `  plinth serve
  plinth serve --store /srv/benchmarks
  plinth serve --listen 127.0.0.1:0        # any free port
  plinth serve --listen 0.0.0.0:7432       # from other machines, with a token
  plinth run --serve my-experiment.yaml    # a run and its page`,
		Args: base.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := base.NoneEmpty(cmd.Flags()); err != nil {
				return base.Usage(err)
			}
			return a.serve(cmd.Context(), listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", serve.DefaultListen, "`ADDRESS` to listen on; any address other than loopback requires a token")
	return cmd
}

const stopServing = "nothing was changed"

func (a *app) serve(ctx context.Context, listen string) error {
	a.OnStop(stopServing)
	server, err := serve.Start(serve.Options{Store: a.Store, Listen: listen, Parity: engines.Parity, Search: pages.SearchOf(a.Store)})
	if err != nil {
		return base.Usage(err)
	}
	defer server.Stop()
	if _, err := os.Stat(a.Store); err != nil {
		fmt.Fprintf(a.Stderr, "warning: the directory %s does not exist yet\n", a.Store)
	}
	pages.WarnUnbuilt(a.Stderr)
	if server.Open() {
		fmt.Fprintln(a.Stderr, "warning: the connection is not encrypted: anyone who can capture its traffic can read all of it, including the token")
	}
	fmt.Fprintf(a.Stderr, "serving %s at %s\n", a.Store, server.URL(""))
	return server.Wait(ctx)
}
