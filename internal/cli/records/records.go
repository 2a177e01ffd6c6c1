// Package records has the commands that list, show, compare, explain, import and serve records.
package records

import (
	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
)

// app holds what the commands of this package need.
type app struct{ *base.App }

// Commands returns the commands of this package.
func Commands(shared *base.App) []*cobra.Command {
	a := &app{shared}
	return []*cobra.Command{a.listCommand(), a.showCommand(), a.compareCommand(), a.diagnoseCommand(), a.reportCommand(), a.serveCommand(), a.importCommand()}
}
