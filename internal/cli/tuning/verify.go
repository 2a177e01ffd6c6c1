package tuning

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/journal"
	"plinth/internal/prose"
	"plinth/internal/report/tuning"
	"plinth/internal/tune"
)

func (a *app) tuneVerifyCommand() *cobra.Command {
	var flags tuneFlags
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify [PROFILE|FILE]...",
		Short: "Check what is actually in force, down to the running server",
		Long: `Check which values of the profiles are actually in force: not what was written, but
what the kernel and the running server use. With --server, if that server runs on this
machine, it also checks the huge pages that the server has mapped, the CPUs that the
server may use, its memory by node, and the effective dirty limits. Without a profile
it checks what plinth tune apply --until keeps.

The exit code is 3 if a value is not in force. Values that cannot be checked are listed;
if that is all of them, the exit code is 1.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitGate),
		Example: `  plinth tune verify
  plinth tune verify ebs-kernel
  plinth tune verify huge-pages --server postgresql://me@localhost/mydb`,
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := a.tuneOptions(format, asJSON)
			if err := base.FirstUsage(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()), err); err != nil {
				return err
			}
			a.OnStop(base.StopLooking)
			t, err := flags.verified(cmd.Context(), args)
			switch {
			case err != nil:
				return base.Ended(cmd.Context(), err)
			case t == nil && options.Format == "json":
				return tuning.WriteChecks(a.Stdout, nil, nil, options)
			case t == nil:
				fmt.Fprintln(a.Stdout, "no tuning is kept; name a profile to check it")
				return nil
			}
			defer t.close()
			checks, err := tune.Verify(cmd.Context(), t.request, t.plan)
			if err != nil {
				return base.Ended(cmd.Context(), err)
			}
			unchecked := tune.Unchecked(t.request, t.plan, checks)
			if len(checks) == 0 && len(unchecked) > 0 {
				return hint.Errorf(unchecked[0].Hint, "cannot check any value: %s: %s", unchecked[0].Key, unchecked[0].Problem)
			}
			if err := tuning.WriteChecks(a.Stdout, checks, unchecked, options); err != nil {
				return err
			}
			failed := 0
			for _, c := range checks {
				if !c.OK {
					failed++
				}
			}
			if failed > 0 {
				return base.FailedGate(fmt.Errorf("not in force: %d of %s", failed, base.Things(len(checks), "value")))
			}
			return nil
		},
	}
	flags.register(cmd.Flags())
	base.FormatFlags(cmd, &format, &asJSON)
	return cmd
}

// verified returns what to verify: the named profiles, otherwise the kept tuning; nil if none is
// kept. One that was not completed is an error.
func (f *tuneFlags) verified(ctx context.Context, names []string) (*tuneRequest, error) {
	if len(names) > 0 || len(f.sets) > 0 {
		return f.lookTuning(ctx, names, true)
	}
	state, err := journal.StateDir()
	if err != nil {
		return nil, base.Usage(err)
	}
	kept, err := tune.Kept(state)
	if err != nil {
		return nil, err
	}
	defer func() { _ = kept.Close() }()
	switch {
	case kept == nil:
		return nil, nil
	case kept.Plan == nil:
		return nil, hint.Wrap(base.FailedGate(errors.New(prose.Clean(kept.Words()))), "plinth tune rollback undoes it")
	}
	t := &tuneRequest{plan: kept.Plan, request: tune.Request{Machine: tune.Kernel{}, Unsafe: true}, close: func() {}}
	reach := reachFlags{f.server, f.domain, f.uri}
	reached, done, err := reach.reach(ctx)
	if err != nil {
		return nil, base.Usage(err)
	}
	for _, r := range reached {
		switch r := r.(type) {
		case tune.Server:
			t.request.Server = r
		case tune.Domain:
			t.request.Domain = r
		}
	}
	t.close = done
	return t, nil
}
