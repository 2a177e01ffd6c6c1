// Package running has the commands that run experiments, and the schema of their files.
package running

import (
	"context"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
)

// app holds what the commands of this package need.
type app struct{ *base.App }

// Commands returns the commands of this package.
func Commands(shared *base.App) []*cobra.Command {
	a := &app{shared}
	return []*cobra.Command{a.runCommand(), a.selfCommand(), a.schemaCommand()}
}

// File runs the experiment in a file.
func File(ctx context.Context, shared *base.App, path string) error {
	return (&app{shared}).runOrPreview(ctx, []string{path}, runFlags{})
}
