// Package placing has the commands that place a database on storage, and those that show devices, instances and prices.
package placing

import (
	"context"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
)

// app holds what the commands of this package need.
type app struct {
	*base.App
	run func(ctx context.Context, path string) error // runs the experiment in a file
}

// Commands returns the commands of this package.
func Commands(shared *base.App, run func(ctx context.Context, path string) error) []*cobra.Command {
	a := &app{shared, run}
	return []*cobra.Command{a.placeCommand(), a.layoutCommand(), a.devicesCommand(), a.instancesCommand(), a.pricesCommand()}
}
