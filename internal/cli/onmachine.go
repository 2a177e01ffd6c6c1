package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/experiment"
	sshaddress "plinth/internal/reach/address"
)

// onMachine lets a command and its subcommands run on another machine, with the flag --on. Paths and
// names in their arguments are those of that machine; files that they write to the current directory
// are written here.
func (a *app) onMachine(cmd *cobra.Command) *cobra.Command {
	var on string
	cmd.PersistentFlags().StringVar(&on, "on", "", "run the command on `ssh://HOST`, where its files are")
	for _, c := range append(cmd.Commands(), cmd) {
		if c.RunE == nil {
			continue
		}
		here := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if on == "" {
				return here(cmd, args)
			}
			return a.runThere(cmd.Context(), on)
		}
	}
	return cmd
}

// runThere runs the command line on another machine, without --on.
func (a *app) runThere(ctx context.Context, on string) error {
	if _, err := sshaddress.Parse(on); err != nil {
		return &usageError{err}
	}
	w := &elsewhere{}
	defer w.Close()
	client, _, err := a.enter(ctx, experiment.At{SSH: on}, "", a.view(false).Say, w)
	if err != nil {
		return err
	}
	code, err := client.Command(ctx, withoutOn(a.args), a.stdout, a.stderr)
	if err == nil && code != exitDone {
		err = &thereError{code}
	}
	return err
}

// withoutOn returns arguments without the flag --on and its value.
func withoutOn(args []string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	var kept []string
	for i := 0; i < len(args); i++ {
		switch {
		case i < end && args[i] == "--on":
			i++
		case i < end && strings.HasPrefix(args[i], "--on="):
		default:
			kept = append(kept, args[i])
		}
	}
	return kept
}
