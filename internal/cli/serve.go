package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"plinth/internal/runner/engines"
	"plinth/internal/serve"
	"plinth/web"
)

func (a *app) serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the store in the browser, live while a run goes on",
		Long: `Show the store in the browser: the records, each one's page, two of them compared,
and a run that goes on, live. It only reads: it can be started and stopped beside
plinth run, also by somebody else.

It listens on this machine alone. To look from another one forward the port
(ssh -L 7432:localhost:7432 HOST); or listen there with --listen, and open the
address that is printed: without the token in it nobody is let in. What is sent is
not encrypted.

It serves until Ctrl-C, and has then done what it was asked for: the exit code is 0.` +
			exitHelp(exitDone, exitFailed, exitUsage),
		Example: `  plinth serve
  plinth serve --store /srv/benchmarks
  plinth serve --listen 127.0.0.1:0        # any free port
  plinth serve --listen 0.0.0.0:7432       # from other machines, with a token
  plinth run --serve my-experiment.yaml    # a run and its page`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := noneEmpty(cmd.Flags()); err != nil {
				return &usageError{err}
			}
			return a.serve(cmd.Context(), listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", serve.DefaultListen, "`ADDRESS` to listen on; another one than loopback asks for a token")
	return cmd
}

var stopServing = "nothing was changed"

func (a *app) serve(ctx context.Context, listen string) error {
	a.stopping.Store(&stopServing)
	server, err := serve.Start(serve.Options{Store: a.store, Listen: listen, Parity: engines.Parity})
	if err != nil {
		return &usageError{err}
	}
	defer server.Stop()
	if _, err := os.Stat(a.store); err != nil {
		fmt.Fprintf(a.stderr, "warning: there is no directory %s yet\n", a.store)
	}
	tellUnbuilt(a.stderr)
	if server.Open() {
		fmt.Fprintln(a.stderr, "warning: nothing is encrypted: who can listen on the network can read all of it, the token too")
	}
	fmt.Fprintf(a.stderr, "serving %s at %s\n", a.store, server.URL(""))
	return server.Wait(ctx)
}

// tellUnbuilt warns if plinth was built without the program of its pages.
func tellUnbuilt(out io.Writer) {
	if _, built := web.Program(); !built {
		fmt.Fprintln(out, "warning: this plinth was built without the program of its pages: they are not live (make build builds it)")
	}
}
