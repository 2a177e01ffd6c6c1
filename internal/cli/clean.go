package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"plinth/internal/journal"
	"plinth/internal/prose"
	"plinth/internal/runner"
	"plinth/internal/tune"
)

func (a *app) cleanCommand() *cobra.Command {
	var dryRun, forget bool
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Put back what a crash left behind",
		Long: `Show what a plinth that ended by force (kill -9, power) left behind, and put it
back: its directories, mounts, databases and tuning, each as its journal names it.
plinth run does the same before it begins. What cannot be put back any more, such
as a database in a server that is gone, is dropped from the journal with --forget.` + exitHelp(exitDone, exitFailed, exitPutBack),
		Example: "  plinth clean --dry-run\n  plinth clean",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			crashed, err := a.showTuning()
			if err != nil {
				return err
			}
			leftovers, err := runner.Leftovers()
			switch {
			case err == nil && len(leftovers) == 0 && !crashed:
				fmt.Fprintln(a.stdout, "nothing is left behind")
				return nil
			case dryRun:
				return errors.Join(err, a.showLeftovers(leftovers))
			}
			for _, leftover := range leftovers {
				if err := leftover.Close(); err != nil { // for Clean, which locks them again
					return err
				}
			}
			return runner.Clean(cmd.Context(), a.view(false), forget)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what is left")
	cmd.Flags().BoolVar(&forget, "forget", false, "drop from the journals what cannot be put back")
	return cmd
}

// showTuning shows what plinth tune apply --until keeps: that is no leftover. A tuning
// that did not come to its end is one.
func (a *app) showTuning() (crashed bool, err error) {
	state, err := journal.StateDir()
	if err != nil {
		return false, &usageError{err}
	}
	kept, err := tune.Kept(state)
	if kept == nil || err != nil {
		return false, err
	}
	defer func() { _ = kept.Close() }()
	if kept.Crashed || kept.Damage() != nil {
		a.showKept(kept)
		return true, nil
	}
	fmt.Fprintf(a.stdout, "kept on purpose: %s; plinth tune rollback puts it back\n", prose.Clean(kept.Words()))
	return false, nil
}

func (a *app) showLeftovers(leftovers []*journal.Leftover) error {
	for _, leftover := range leftovers {
		a.showLeftover(leftover)
		if err := leftover.Close(); err != nil {
			return err
		}
	}
	return nil
}

// showLeftover shows the journal of one plinth. What is in it was written by a
// program that died, so it is printed with care.
func (a *app) showLeftover(leftover *journal.Leftover) {
	if damage := leftover.Damage(); damage != nil {
		fmt.Fprintf(a.stdout, "cannot use the journal %s: %s\n", leftover.Path(), prose.Clean(damage.Error()))
		fmt.Fprintln(a.stdout, "hint: see what it names; when all of that is put back by hand, remove the file")
	}
	if len(leftover.Entries()) == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "left for %s:\n", prose.Clean(leftover.Label()))
	for _, entry := range leftover.Entries() {
		fmt.Fprintf(a.stdout, "  %s\n", prose.Clean(entry.Describe()))
	}
}
