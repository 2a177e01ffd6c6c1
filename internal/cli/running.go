// Package running has the commands that run experiments, and the schema of their files.
package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// runningApp holds what the commands of this package need.
type runningApp struct{ *app }

// runningCommands returns the commands of this package.
func runningCommands(shared *app) []*cobra.Command {
	a := &runningApp{shared}
	return []*cobra.Command{a.runCommand(), a.selfCommand(), a.schemaCommand()}
}

// runFile runs the experiment in a file.
func runFile(ctx context.Context, shared *app, path string) error {
	return (&runningApp{shared}).runOrPreview(ctx, []string{path}, runFlags{})
}
