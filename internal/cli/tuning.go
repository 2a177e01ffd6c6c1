// Package tuning has the commands that tune a machine.
package cli

import (
	"github.com/spf13/cobra"
)

// tuningApp holds what the commands of this package need.
type tuningApp struct{ *app }

// tuningCommands returns the commands of this package.
func tuningCommands(shared *app) []*cobra.Command {
	a := &tuningApp{shared}
	return []*cobra.Command{a.tuneCommand()}
}
