package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/knob"
	"plinth/internal/record"
	"plinth/internal/tune"
	"plinth/internal/tune/render"
)

// applyFlags holds the flags of plinth tune apply.
type applyFlags struct {
	tuneFlags
	until            string
	host, disposable bool
}

func (a *app) tuneApplyCommand() *cobra.Command {
	var flags applyFlags
	cmd := &cobra.Command{
		Use:   "apply [PROFILE|FILE]... {--until rollback|reboot | -- COMMAND...}",
		Short: "Apply the changes while a command runs, or until rollback",
		Long: `Make the changes that plan shows. plinth saves the old value to disk before each
change and reads the new one back after it; if a change fails, the others are put
back. A plan is applied completely or not at all: use --without to exclude what cannot
be set here.

With -- COMMAND the changes last while the command runs, and are undone however it
ends; plinth exits with the command's exit code, and the command gets no input. With
--until rollback they last until plinth tune rollback; with --until reboot, a reboot
also ends them.

Changes to the whole machine require --host. The settings of a server are printed as
a file instead, unless --disposable allows changing them.` +
			base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack, base.ExitInterrupted),
		Example: `  plinth tune apply ebs-kernel --host -- pgbench -T 60 mydb
  plinth tune apply --set vm.swappiness=1 --host --until reboot
  plinth tune apply oltp --server "host=/tmp/pg dbname=postgres" --disposable --host --until rollback`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, command := args, []string(nil)
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				names, command = args[:at], args[at:]
			}
			if err := base.FirstUsage(base.NoneEmpty(cmd.Flags()), flags.check(cmd.ArgsLenAtDash() >= 0, command)); err != nil {
				return err
			}
			a.OnStop(stopApplying)
			return a.tuneApply(cmd.Context(), names, command, &flags)
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringVar(&flags.until, "until", "", "keep the changes until `WHEN`: rollback, or reboot")
	cmd.Flags().BoolVar(&flags.host, "host", false, "allow changes to the whole machine, which affect everything on it")
	cmd.Flags().BoolVar(&flags.disposable, "disposable", false, "allow changes to the settings of the server")
	return cmd
}

// stopApplying is the message at Ctrl-C.
const stopApplying = "the command is stopped, and everything is restored"

// check checks the flags: exactly one of --until and COMMAND is required.
func (f *applyFlags) check(dash bool, command []string) error {
	const how = "use --until rollback, --until reboot, or -- COMMAND"
	switch {
	case dash && len(command) == 0:
		return hint.Errorf("write the command after --, as in -- pgbench -T 60 mydb", "no command after --")
	case dash && f.until != "":
		return hint.Errorf("leave one of them out", "--until and -- COMMAND cannot be used together")
	case !dash && f.until == "":
		return hint.Errorf(how, "neither --until nor a command is given")
	case f.until != "" && f.until != tune.UntilRollback && f.until != tune.UntilReboot:
		return hint.Errorf(hint.DidYouMean(f.until, []string{tune.UntilRollback, tune.UntilReboot}, how), "--until: unknown value %q", f.until)
	}
	return nil
}

func (a *app) tuneApply(ctx context.Context, names, command []string, f *applyFlags) error {
	program := ""
	if command != nil {
		var err error
		if program, err = launch.FindProgram(command[0]); err != nil {
			return base.Usage(hint.Errorf("name a program in PATH, or give the path of a program", "cannot find the program %q", command[0]))
		}
	}
	t, err := f.lookTuning(ctx, names, command != nil)
	if err != nil {
		return base.Ended(ctx, err)
	}
	defer t.close()
	if err := a.admit(t, f); err != nil {
		return base.Usage(err)
	}
	state, err := journal.StateDir()
	if err != nil {
		return base.Usage(err)
	}
	lock, err := journal.TakeLock(tune.LockPath(state), strings.Join(base.Redacted(os.Args), " "), journal.Starter())
	if err != nil {
		return base.Usage(err)
	}
	defer func() { _ = lock.Release() }()
	if command == nil {
		return a.keep(ctx, state, t, f.until)
	}
	return a.around(ctx, state, t, program, command[1:])
}

// admit returns an error if a plan may not be applied: a value cannot be set here, or would
// change the whole machine without --host. It removes server settings from the plan and prints
// them, unless that server may be changed.
func (a *app) admit(t *tuneRequest, f *applyFlags) error {
	if err := a.setAside(t, f); err != nil {
		return err
	}
	var cannot []tune.Change
	var wide []string
	for _, c := range t.plan.Changes {
		switch {
		case c.State == tune.Cannot:
			cannot = append(cannot, c)
		case c.HostWide() && (c.State == tune.ToChange || c.State == tune.Later):
			wide = append(wide, c.Key.String())
		}
	}
	if cannot != nil {
		return cannotApply(cannot)
	}
	if wide != nil && !f.host {
		return hint.Errorf("allow it with --host", "this changes the whole machine and affects everything on it: %s", strings.Join(wide, ", "))
	}
	return nil
}

// cannotApply lists what cannot be set here, and the flags that leave it out.
func cannotApply(cannot []tune.Change) error {
	var parts, without []string
	for _, c := range cannot {
		parts = append(parts, fmt.Sprintf("%s: %s", c.Key, c.Problem))
		without = append(without, "--without "+c.Key.String())
	}
	advice := "add " + strings.Join(without, " ")
	if len(cannot) == 1 && cannot[0].Hint != "" {
		advice = cannot[0].Hint + "; or " + advice
	}
	return hint.Errorf(advice, "cannot be set here: %s", strings.Join(parts, "; "))
}

// setAside removes the settings of a server that plinth did not create from a plan, and prints
// them as a file for its administrator.
func (a *app) setAside(t *tuneRequest, f *applyFlags) error {
	own := func(c tune.Change) bool { return c.Layer == knob.Server }
	if t.request.Server != nil && f.disposable || !slices.ContainsFunc(t.plan.Changes, own) {
		return nil
	}
	aside := *t.plan
	aside.Changes = nil
	for _, c := range t.plan.Changes {
		if own(c) && c.State != tune.NotApplicable && c.State != tune.InForce {
			aside.Changes = append(aside.Changes, c)
		}
	}
	t.plan.Changes = slices.DeleteFunc(t.plan.Changes, own)
	why := "plinth does not change the settings of a server that it did not create; this file is for the server's administrator"
	if t.request.Server == nil {
		why = "no server is given, so no server settings are changed; this file is for the server's administrator"
	}
	for _, format := range []string{"postgresql.conf", "redis.conf"} {
		files, err := render.Render(&aside, format)
		if err != nil {
			continue // no settings of that kind of server
		}
		fmt.Fprintln(a.Stderr, why)
		if err := a.writeFiles(files, ""); err != nil {
			return err
		}
	}
	left := func(c tune.Change) bool { return c.State != tune.NotApplicable }
	if len(aside.Changes) == 0 || slices.ContainsFunc(t.plan.Changes, left) {
		return nil
	}
	return hint.Errorf("name a server with --server, and add --disposable if its settings may be changed", "there is nothing else to apply")
}

// keep applies a plan that outlives plinth.
func (a *app) keep(ctx context.Context, state string, t *tuneRequest, until string) error {
	applied, err := tune.Keep(ctx, state, until, t.request, t.plan)
	if err != nil {
		return tuneError(err)
	}
	printKnobs(a.Stderr, applied.Knobs())
	fmt.Fprintf(a.Stderr, "kept until %s; plinth tune verify shows what is in force, plinth tune rollback restores the old values\n", until)
	return nil
}

// printKnobs prints what was changed, with the values that were read back.
func printKnobs(out io.Writer, knobs []record.Knob) {
	for _, k := range knobs {
		switch {
		case k.NotApplicable != "":
			fmt.Fprintf(out, "%s: not applicable here: %s\n", k.Key, k.NotApplicable)
		case k.Was == k.Value:
			fmt.Fprintf(out, "%s: %s already\n", k.Key, k.Value)
		default:
			fmt.Fprintf(out, "%s: %s → %s\n", k.Key, cmp.Or(k.Was, "not set"), k.Value)
		}
	}
}

// around applies a plan while a command runs.
func (a *app) around(ctx context.Context, state string, t *tuneRequest, program string, args []string) error {
	if err := nothingKept(state); err != nil {
		return err
	}
	j, err := journal.Open(tune.Dir(state), "tune apply")
	if err != nil {
		return err
	}
	applied, err := tune.Apply(ctx, j, t.request, t.plan)
	if err == nil {
		printKnobs(a.Stderr, applied.Knobs())
		err = errors.Join(a.held(ctx, t, program, args), applied.PutBack(context.WithoutCancel(ctx)))
	}
	if err = errors.Join(err, j.Close()); err != nil {
		return tuneError(err)
	}
	fmt.Fprintln(a.Stderr, "everything is restored")
	return nil
}

// nothingKept returns an error if a tuning is kept: the undo would not restore the original
// state.
func nothingKept(state string) error {
	kept, err := tune.Kept(state)
	if err != nil || kept == nil {
		return err
	}
	defer func() { _ = kept.Close() }()
	return hint.Errorf("undo it first with plinth tune rollback, or accept the current values with plinth tune adopt", "cannot apply: %s", kept.Words())
}

// held runs a command with the values that hold only around it.
func (a *app) held(ctx context.Context, t *tuneRequest, program string, args []string) error {
	held, err := tune.Around(ctx, t.request, t.plan)
	if err != nil {
		return err
	}
	printKnobs(a.Stderr, held.Knobs())
	status, err := launch.Run(ctx, launch.NewLocal(), held.Command(launch.Command{
		Path: program, Args: args, Env: os.Environ(), Stdout: a.Stdout, Stderr: a.Stderr, Stop: os.Interrupt,
	}))
	if err = errors.Join(err, held.Close()); err != nil {
		return err
	}
	signal, _ := status.Signal.(syscall.Signal)
	switch {
	case status.Signal != nil:
		return &base.CommandError{Code: 128 + int(signal)} // as shells report it
	case status.Code != 0:
		return &base.CommandError{Code: status.Code}
	}
	return nil
}
