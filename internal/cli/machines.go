// Package machines has the commands that other machines and pods need, and those that clean them.
package cli

import (
	"github.com/spf13/cobra"

	"plinth/internal/kube/hold"
)

// machinesApp holds what the commands of this package need.
type machinesApp struct {
	*app
	pod *hold.Guest // ends the pod with this process; nil outside a pod
}

// machinesCommands returns the commands of this package.
func machinesCommands(shared *app) []*cobra.Command {
	a := &machinesApp{app: shared}
	return []*cobra.Command{a.agentCommand(), a.holdCommand(), a.cleanCommand()}
}

// onMachine lets a command and its subcommands run on another machine, with the flag --on.
func onMachine(shared *app, cmd *cobra.Command) *cobra.Command {
	return (&machinesApp{app: shared}).onMachine(cmd)
}
