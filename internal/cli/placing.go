// Package placing has the commands that place a database on storage, and those that show devices, instances and prices.
package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// placingApp holds what the commands of this package need.
type placingApp struct {
	*app
	run func(ctx context.Context, path string) error // runs the experiment in a file
}

// placingCommands returns the commands of this package.
func placingCommands(shared *app, run func(ctx context.Context, path string) error) []*cobra.Command {
	a := &placingApp{shared, run}
	return []*cobra.Command{a.placeCommand(), a.layoutCommand(), a.devicesCommand(), a.instancesCommand(), a.pricesCommand()}
}
