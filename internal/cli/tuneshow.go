package cli

import (
	"github.com/spf13/cobra"

	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/report/tuning"
)

func (a *app) tuneProfilesCommand() *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "profiles [NAME|FILE]",
		Short: "Named sets of values: the published ones, and plinth's own",
		Long: `List the profiles: published ones with their exact values, and plinth's own, computed
from the facts of a machine. With NAME, show one: its values, where they are from, and
why. FILE is one of your own.` + exitHelp(exitDone, exitUsage),
		Example: "  plinth tune profiles\n  plinth tune profiles ebs-kernel\n  plinth tune profiles ./mine.yaml --json",
		Args:    atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			options, err := a.tuneOptions(format, asJSON)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				p, err := readProfile(args[0])
				if err != nil {
					return usage(tuneError(err))
				}
				facts, err := tuning.ProfileOf(p)
				if err != nil {
					return usage(tuneError(err))
				}
				return tuning.WriteProfile(a.stdout, facts, options)
			}
			var all []tuning.ProfileFacts
			for _, p := range profile.All() {
				facts, err := tuning.ProfileOf(p)
				if err != nil {
					return err
				}
				all = append(all, facts)
			}
			return tuning.WriteProfiles(a.stdout, all, options)
		},
	}
	formatFlags(cmd, &format, &asJSON)
	return cmd
}

func (a *app) tuneKnobsCommand() *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "knobs [NAME]",
		Short: "What can be tuned, by layer",
		Long: `List what can be tuned, layer by layer, each by the name that its own documentation
has. With NAME, show one: where it is, what it may be, what it needs, what can go wrong,
and where it is documented; parameters of PostgreSQL and Redis, too.` + exitHelp(exitDone, exitUsage),
		Example: "  plinth tune knobs\n  plinth tune knobs vm.dirty_background_bytes\n  plinth tune knobs commit_delay --json",
		Args:    atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			options, err := a.tuneOptions(format, asJSON)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				k, err := findKnob(args[0])
				if err != nil {
					return usage(err)
				}
				return tuning.WriteKnob(a.stdout, tuning.KnobOf(k), options)
			}
			var all []tuning.KnobFacts
			for _, k := range knob.All() {
				all = append(all, tuning.KnobOf(k))
			}
			return tuning.WriteKnobs(a.stdout, all, options)
		},
	}
	formatFlags(cmd, &format, &asJSON)
	return cmd
}

// findKnob is a knob of the catalog, or a parameter of a server; the error names the
// nearest one.
func findKnob(name string) (knob.Knob, error) {
	key := knob.ParseKey(name)
	if k, found := knob.Find(key.Knob); found {
		return k, nil
	}
	return knob.Resolve("", key)
}
