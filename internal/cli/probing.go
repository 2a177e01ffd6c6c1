// Package probing has the commands that examine and measure a machine.
package cli

import (
	"github.com/spf13/cobra"
)

// probingApp holds what the commands of this package need.
type probingApp struct{ *app }

// probingCommands returns the commands of this package.
func probingCommands(shared *app) []*cobra.Command {
	a := &probingApp{shared}
	return []*cobra.Command{a.probeCommand(), a.inspectCommand()}
}
