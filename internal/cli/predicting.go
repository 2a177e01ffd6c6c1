// Package predicting has the commands that say what else would do, what it costs, and what to take.
package cli

import (
	"github.com/spf13/cobra"
)

// predictingApp holds what the commands of this package need.
type predictingApp struct{ *app }

// predictingCommands returns the commands of this package.
func predictingCommands(shared *app) []*cobra.Command {
	a := &predictingApp{shared}
	return []*cobra.Command{a.predictCommand(), a.costCommand(), a.adviseCommand()}
}
