// Package predicting has the commands that say what else would do, what it costs, and what to take.
package predicting

import (
	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
)

// app holds what the commands of this package need.
type app struct{ *base.App }

// Commands returns the commands of this package.
func Commands(shared *base.App) []*cobra.Command {
	a := &app{shared}
	return []*cobra.Command{a.predictCommand(), a.costCommand(), a.adviseCommand()}
}
