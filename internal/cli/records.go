// Package records has the commands that list, show, compare, explain, import and serve records.
package cli

import (
	"github.com/spf13/cobra"
)

// recordsApp holds what the commands of this package need.
type recordsApp struct{ *app }

// recordsCommands returns the commands of this package.
func recordsCommands(shared *app) []*cobra.Command {
	a := &recordsApp{shared}
	return []*cobra.Command{a.listCommand(), a.showCommand(), a.compareCommand(), a.diagnoseCommand(), a.reportCommand(), a.serveCommand(), a.importCommand()}
}
