// Package probing has the commands that examine and measure a machine.
package probing

import (
	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
)

// app holds what the commands of this package need.
type app struct{ *base.App }

// Commands returns the commands of this package.
func Commands(shared *base.App) []*cobra.Command {
	a := &app{shared}
	return []*cobra.Command{a.probeCommand(), a.inspectCommand()}
}
