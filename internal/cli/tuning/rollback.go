package tuning

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/journal"
	"plinth/internal/prose"
	"plinth/internal/runner"
	"plinth/internal/tune"
)

func (a *app) tuneRollbackCommand() *cobra.Command {
	var reach reachFlags
	cmd := &cobra.Command{
		Use:   "rollback",
		Short: "Undo what apply --until changed, or what a crash left behind",
		Long: `Restore, byte for byte, the values that plinth tune apply --until changed, and read
them back. The rollback can be repeated, even after a crash, or after a reboot, when
the kernel has already lost the changes. Values that another process has changed
since are reported and left unchanged, and the exit code is 4: accept them with
plinth tune adopt, or set them by hand and repeat the rollback.

If the settings of a server or a domain were changed, name it with --server or
--domain.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack),
		Example: "  plinth tune rollback\n  plinth tune rollback --server \"host=/tmp/pg dbname=postgres\"",
		Args:    base.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := base.FirstUsage(base.NoneEmpty(cmd.Flags())); err != nil {
				return err
			}
			reached, done, err := reach.reach(cmd.Context())
			if err != nil {
				return base.Usage(err)
			}
			defer done()
			return withKept(a.Stdout, "rollback", func(k *tune.KeptState) error { return rollBack(cmd.Context(), a.Stdout, k, reached) })
		},
	}
	reach.register(cmd)
	return cmd
}

func (a *app) tuneAdoptCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "adopt",
		Short: "Accept the values in force, and forget the earlier ones",
		Long: `Forget the values from before plinth tune apply --until. The values in force now
stay, whichever process set them, and can no longer be rolled back. The kernel still
loses them at the next boot; plinth tune render writes files that set them at each boot.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack),
		Args: base.None,
		RunE: func(_ *cobra.Command, _ []string) error {
			return withKept(a.Stdout, "adopt", func(k *tune.KeptState) error {
				words := k.Words()
				if err := k.Adopt(tune.Kernel{}); err != nil {
					return &runner.PutBackError{Err: err}
				}
				fmt.Fprintf(a.Stdout, "adopted: %s\n", prose.Clean(words))
				return nil
			})
		},
	}
}

// withKept passes what is kept to use, while holding the lock on changing the machine.
func withKept(out io.Writer, what string, use func(*tune.KeptState) error) error {
	state, err := journal.StateDir()
	if err != nil {
		return base.Usage(err)
	}
	lock, err := journal.TakeLock(tune.LockPath(state), strings.Join(base.Redacted(os.Args), " "), journal.Starter())
	if err != nil {
		return base.Usage(err)
	}
	defer func() { _ = lock.Release() }()
	for some := false; ; some = true {
		kept, err := tune.Kept(state)
		if err != nil {
			return &runner.PutBackError{Err: err}
		}
		if kept == nil {
			if !some {
				fmt.Fprintf(out, "no tuning is kept: there is nothing to %s\n", map[string]string{"rollback": "undo", "adopt": "adopt"}[what])
			}
			return nil
		}
		if err := use(kept); err != nil {
			return err
		}
	}
}

func rollBack(ctx context.Context, out io.Writer, k *tune.KeptState, reached []tune.Reached) error {
	words, changes := k.Words(), k.Changes()
	notes, err := k.Rollback(context.WithoutCancel(ctx), tune.Kernel{}, reached...)
	for _, n := range notes {
		fmt.Fprintf(out, "note: %s\n", n.Text)
	}
	if err != nil {
		if hint.Of(err) == "" {
			err = hint.Wrap(err, "fix the cause and run plinth tune rollback again, or accept the current values with plinth tune adopt")
		}
		return &runner.PutBackError{Err: err}
	}
	fmt.Fprintf(out, "undone: %s\n", prose.Clean(words))
	for _, c := range changes {
		fmt.Fprintf(out, "  %s\n", prose.Clean(c))
	}
	return nil
}
