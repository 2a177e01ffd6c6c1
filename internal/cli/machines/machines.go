// Package machines has the commands that other machines and pods need, and those that clean them.
package machines

import (
	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/kube/hold"
)

// app holds what the commands of this package need.
type app struct {
	*base.App
	pod *hold.Guest // ends the pod with this process; nil outside a pod
}

// Commands returns the commands of this package.
func Commands(shared *base.App) []*cobra.Command {
	a := &app{App: shared}
	return []*cobra.Command{a.agentCommand(), a.holdCommand(), a.cleanCommand()}
}

// OnMachine lets a command and its subcommands run on another machine, with the flag --on.
func OnMachine(shared *base.App, cmd *cobra.Command) *cobra.Command {
	return (&app{App: shared}).onMachine(cmd)
}
