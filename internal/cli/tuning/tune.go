package tuning

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/journal"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/report/output"
	"plinth/internal/report/tuning"
	"plinth/internal/runner"
	"plinth/internal/strictyaml"
	"plinth/internal/tune"
)

func (a *app) tuneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Tune this machine for a database, and verify what is in force",
		Long: `Determine what to change in a database and in the system under it, layer by layer:
hypervisor, kernel, CPUs, placement, disk queues, mount options, the server's own
settings. plan shows what would change and why; apply makes the changes, after saving
to disk how to undo each of them; verify shows what is actually in force; rollback
restores the old values. render writes the changes as files, which work without plinth.

Without a subcommand, plinth tune shows what is kept in force on this machine.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack),
		Example: `  plinth tune plan
  plinth tune plan ebs-kernel --data /var/lib/postgresql
  plinth tune apply ebs-kernel --host -- pgbench -T 60 mydb
  plinth tune render oltp --to sysctl.d
  plinth tune search orders.yaml --for 2h`,
		Args: base.None,
		RunE: func(*cobra.Command, []string) error { return a.tuneStatus() },
	}
	cmd.AddCommand(a.tunePlanCommand(), a.tuneRenderCommand(), a.tuneApplyCommand(), a.tuneVerifyCommand(),
		a.tuneAdoptCommand(), a.tuneRollbackCommand(), a.tuneSearchCommand(), a.tuneProfilesCommand(), a.tuneKnobsCommand())
	return cmd
}

// tuneStatus shows the tuning that is kept on this machine.
func (a *app) tuneStatus() error {
	state, err := journal.StateDir()
	if err != nil {
		return base.Usage(err)
	}
	kept, err := tune.Kept(state)
	if err != nil {
		return err
	}
	defer func() { _ = kept.Close() }()
	if kept == nil {
		fmt.Fprintf(a.Stdout, "no tuning is kept in force on this machine\nnext: %s tune plan\n", os.Args[0])
		return nil
	}
	base.ShowKept(a.Stdout, kept)
	switch {
	case kept.Damage() != nil:
		fmt.Fprintln(a.Stdout, "hint: manually undo the changes listed in the file, then remove it")
	case kept.Crashed || kept.Until == "":
		fmt.Fprintf(a.Stdout, "next: %s tune rollback\n", os.Args[0])
	default:
		fmt.Fprintf(a.Stdout, "next: %s tune verify, rollback or adopt\n", os.Args[0])
	}
	return nil
}

func (a *app) tuneProfilesCommand() *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "profiles [NAME|FILE]",
		Short: "List the profiles: published ones, and plinth's own",
		Long: `List the profiles: published ones with their exact values, and plinth's own, computed
from the facts of a machine. With NAME, show one: its values, their sources and the
reasons. FILE is a profile of your own.` + base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: "  plinth tune profiles\n  plinth tune profiles ebs-kernel\n  plinth tune profiles ./mine.yaml --json",
		Args:    base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := a.tuneOptions(format, asJSON)
			if err := base.FirstUsage(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()), err); err != nil {
				return err
			}
			if len(args) == 1 {
				p, err := readProfile(args[0])
				if err != nil {
					return base.Usage(tuneError(err))
				}
				facts, err := tuning.ProfileOf(p)
				if err != nil {
					return base.Usage(tuneError(err))
				}
				return tuning.WriteProfile(a.Stdout, facts, options)
			}
			var all []tuning.ProfileFacts
			for _, p := range profile.All() {
				facts, err := tuning.ProfileOf(p)
				if err != nil {
					return err
				}
				all = append(all, facts)
			}
			return tuning.WriteProfiles(a.Stdout, all, options)
		},
	}
	base.FormatFlags(cmd, &format, &asJSON)
	return cmd
}

func (a *app) tuneKnobsCommand() *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "knobs [NAME]",
		Short: "List what can be tuned, by layer",
		Long: `List what can be tuned, layer by layer, under the names that the documentation of
each layer uses. With NAME, show one knob: its location, valid values, requirements,
risks and documentation; NAME may also be a parameter of PostgreSQL or Redis.` + base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: "  plinth tune knobs\n  plinth tune knobs vm.dirty_background_bytes\n  plinth tune knobs commit_delay --json",
		Args:    base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := a.tuneOptions(format, asJSON)
			if err := base.FirstUsage(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()), err); err != nil {
				return err
			}
			if len(args) == 1 {
				k, err := findKnob(args[0])
				if err != nil {
					return base.Usage(err)
				}
				return tuning.WriteKnob(a.Stdout, tuning.KnobOf(k), options)
			}
			var all []tuning.KnobFacts
			for _, k := range knob.All() {
				all = append(all, tuning.KnobOf(k))
			}
			return tuning.WriteKnobs(a.Stdout, all, options)
		},
	}
	base.FormatFlags(cmd, &format, &asJSON)
	return cmd
}

// findKnob returns a knob of the catalog, or a parameter of a server; the error suggests the
// nearest name.
func findKnob(name string) (knob.Knob, error) {
	key := knob.ParseKey(name)
	if k, found := knob.Find(key.Knob); found {
		return k, nil
	}
	return knob.Resolve("", key)
}

// tuneOptions returns the output options of tuning commands.
func (a *app) tuneOptions(format string, asJSON bool) (tuning.Options, error) {
	if asJSON {
		format = "json"
	}
	if format == "md" {
		format = "markdown"
	}
	return tuning.Options{Format: format, Width: a.Width()}, base.Usage(output.Check(format, tuning.Formats))
}

// tuneError maps an error of tuning to one with the right exit code: bad input, or a failed undo.
func tuneError(err error) error {
	var (
		file    *strictyaml.Error
		putBack *tune.PutBackError
		theirs  *tune.TheirsError
		locked  *journal.LockedError
	)
	switch {
	case errors.As(err, &file):
		return file
	case errors.As(err, &putBack), errors.As(err, &theirs):
		return &runner.PutBackError{Err: err}
	case errors.As(err, &locked):
		return hint.Wrap(err, hint.Of(err))
	}
	return err
}
