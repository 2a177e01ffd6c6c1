package machines

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/cli/elsewhere"
	"plinth/internal/hint"
	"plinth/internal/journal"
	"plinth/internal/prose"
	"plinth/internal/reach"
	sshaddress "plinth/internal/reach/address"
	"plinth/internal/runner/site"
	"plinth/internal/tune"
)

const cleanHelp = `Show what a crashed plinth (kill -9, power failure) left behind, and undo it: the
directories, mounts, databases and tuning that its journal lists. plinth run does
the same before it starts. With --on, plinth cleans another machine, and removes the
copies of itself from there. --forget drops from the journal what can no longer be
undone, such as a database on a server that no longer exists.

With --kubernetes, plinth deletes what experiments left behind in a Kubernetes
cluster, which are the objects that carry its label, and uncordons nodes that a
fault: drain left cordoned. It only shows the objects of an experiment whose keeper
runs; to delete those, too, name its RECORD.`

func (a *app) cleanCommand() *cobra.Command {
	var dryRun, forget bool
	var on elsewhere.MachineFlags
	var there clusterCleaning
	cmd := &cobra.Command{
		Use:   "clean [RECORD...]",
		Short: "Undo what a crash left behind",
		Long:  cleanHelp + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack),
		Example: `  plinth clean --dry-run
  plinth clean
  plinth clean --on ssh://db1
  plinth clean --kubernetes --namespace bench`,
		RunE: func(cmd *cobra.Command, args []string) error {
			there.named, there.dryRun = args, dryRun
			if err := errors.Join(on.Check(cmd.Flags()), there.check(cmd.Flags())); err != nil {
				return base.Usage(err)
			}
			switch {
			case there.Kubernetes:
				return a.cleanCluster(cmd.Context(), there)
			case on.On != "":
				return a.cleanOn(cmd.Context(), on, dryRun, forget)
			}
			return a.cleanHere(cmd.Context(), dryRun, forget)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what was left behind")
	on.Register(cmd.Flags(), "clean `ssh://HOST`, and remove the copies of plinth there")
	cmd.Flags().BoolVar(&forget, "forget", false, "drop from the journals what cannot be undone")
	there.register(cmd.Flags())
	return cmd
}

// cleanHere undoes what was left behind on this machine.
func (a *app) cleanHere(ctx context.Context, dryRun, forget bool) error {
	crashed, err := showTuning(a.Stdout)
	if err != nil {
		return err
	}
	leftovers, err := site.Leftovers()
	switch {
	case err == nil && len(leftovers) == 0 && !crashed:
		fmt.Fprintln(a.Stdout, "nothing was left behind")
		return nil
	case dryRun:
		return errors.Join(err, showLeftovers(a.Stdout, leftovers))
	}
	for _, leftover := range leftovers {
		if err := leftover.Close(); err != nil { // Clean locks them again
			return err
		}
	}
	return site.Clean(ctx, a.View(false).Say, forget)
}

// showTuning shows what plinth tune apply --until keeps. It returns true only for a tuning that
// crashed or has a damaged journal: a tuning that the user keeps is not a leftover.
func showTuning(out io.Writer) (crashed bool, err error) {
	state, err := journal.StateDir()
	if err != nil {
		return false, base.Usage(err)
	}
	kept, err := tune.Kept(state)
	if kept == nil || err != nil {
		return false, err
	}
	defer func() { _ = kept.Close() }()
	if kept.Crashed || kept.Damage() != nil {
		base.ShowKept(out, kept)
		return true, nil
	}
	fmt.Fprintf(out, "not a leftover: %s; plinth tune rollback restores the old values\n", prose.Clean(kept.Words()))
	return false, nil
}

// showLeftovers lists the journals of crashed plinths. It sanitises their content, which those
// processes wrote.
func showLeftovers(out io.Writer, leftovers []*journal.Leftover) error {
	for _, leftover := range leftovers {
		if damage := leftover.Damage(); damage != nil {
			fmt.Fprintf(out, "cannot use the journal %s: %s\n", leftover.Path(), prose.Clean(damage.Error()))
			fmt.Fprintln(out, "hint: manually undo the changes listed in the file, then remove it")
		}
		if len(leftover.Entries()) > 0 {
			fmt.Fprintf(out, "left behind by %s:\n", prose.Clean(leftover.Label()))
		}
		for _, entry := range leftover.Entries() {
			fmt.Fprintf(out, "  %s\n", prose.Clean(entry.Describe()))
		}
		if err := leftover.Close(); err != nil {
			return err
		}
	}
	return nil
}

// cleanOn undoes what a crash left behind on another machine, and removes the copies of plinth there.
func (a *app) cleanOn(ctx context.Context, on elsewhere.MachineFlags, dryRun, forget bool) error {
	at, err := on.At()
	switch {
	case err != nil:
		return err
	case dryRun:
		return base.Usage(hint.Errorf("leave one of them out", "--dry-run and --on cannot be used together"))
	}
	to, err := sshaddress.Parse(at.SSH)
	if err != nil {
		return err
	}
	say := func(line string) { fmt.Fprintln(a.Stdout, prose.Clean(line)) }
	w := &elsewhere.Machines{Version: a.Version, Agents: on.Agents, Say: say}
	client, _, err := w.Enter(ctx, at)
	if err != nil {
		return err
	}
	err = client.Clean(ctx, forget)
	w.Close()
	return errors.Join(err, reach.Clean(ctx, to, reach.Options{Say: say}))
}
