package cli

import (
	"errors"
	"fmt"
	"io"

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
			crashed, err := showTuning(a.stdout)
			if err != nil {
				return err
			}
			leftovers, err := runner.Leftovers()
			switch {
			case err == nil && len(leftovers) == 0 && !crashed:
				fmt.Fprintln(a.stdout, "nothing is left behind")
				return nil
			case dryRun:
				return errors.Join(err, showLeftovers(a.stdout, leftovers))
			}
			for _, leftover := range leftovers {
				if err := leftover.Close(); err != nil { // Clean locks them again
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

// showTuning shows what plinth tune apply --until keeps. It returns true only for a tuning that
// crashed or has a damaged journal: a tuning kept on purpose is not a leftover.
func showTuning(out io.Writer) (crashed bool, err error) {
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
		showKept(out, kept)
		return true, nil
	}
	fmt.Fprintf(out, "kept on purpose: %s; plinth tune rollback puts it back\n", prose.Clean(kept.Words()))
	return false, nil
}

// showLeftovers lists the journals of crashed plinths. It sanitises their content, which those
// processes wrote.
func showLeftovers(out io.Writer, leftovers []*journal.Leftover) error {
	for _, leftover := range leftovers {
		if damage := leftover.Damage(); damage != nil {
			fmt.Fprintf(out, "cannot use the journal %s: %s\n", leftover.Path(), prose.Clean(damage.Error()))
			fmt.Fprintln(out, "hint: see what it names; when all of that is put back by hand, remove the file")
		}
		if len(leftover.Entries()) > 0 {
			fmt.Fprintf(out, "left for %s:\n", prose.Clean(leftover.Label()))
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
