package tuning

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/knob"
	"plinth/internal/report/tuning"
	"plinth/internal/tune"
	"plinth/internal/tune/render"
)

func (a *app) tunePlanCommand() *cobra.Command {
	var flags tuneFlags
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan [PROFILE|FILE]...",
		Short: "Show what would change here, why, and what that requires",
		Long: `Show what profiles would change on this machine, layer by layer: the old and the new
value, the reason, requirements, risks and sources; then what is in force already,
what this machine does not have, what cannot be set here, and which values conflict.
It changes nothing.

With neither a profile nor --set it uses plinth's own: oltp, or redis for a Redis
server. Later profiles, and --set, override earlier ones. FILE is a profile of your
own; its name contains a slash or ends in .yaml.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage),
		Example: `  plinth tune plan
  plinth tune plan --server postgresql://me@localhost/mydb --probe nvme.device.yaml
  plinth tune plan ebs-kernel ebs-server --without swap
  plinth tune plan numa-pinned --domain vm1 --libvirt qemu:///system
  plinth tune plan --set vm.swappiness=1 --set read_ahead_kb@data=64 --data /mnt/nvme0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := a.tuneOptions(format, asJSON)
			if err := base.FirstUsage(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()), err); err != nil {
				return err
			}
			a.OnStop(base.StopLooking)
			t, err := flags.lookTuning(cmd.Context(), args, false)
			if err != nil {
				return base.Ended(cmd.Context(), err)
			}
			defer t.close()
			options.Next = nextOfPlan(t.plan, os.Args[0], args, &flags, loadOf(t.request.Engine))
			return tuning.WritePlan(a.Stdout, t.plan, options)
		},
	}
	flags.register(cmd.Flags())
	base.FormatFlags(cmd, &format, &asJSON)
	return cmd
}

// nextOfPlan returns the commands that may follow a plan: try it around a load, or keep it as
// files.
func nextOfPlan(p *tune.Plan, plinth string, names []string, f *tuneFlags, load []string) []string {
	words := append(slices.Clone(names), f.words()...)
	var next []string
	if flags := applying(p, load); flags != nil {
		next = append(next, shellLine(slices.Concat([]string{plinth, "tune", "apply"}, words, flags)))
	}
	server := slices.ContainsFunc(p.Changes, func(c tune.Change) bool { return c.Layer == knob.Server && c.State != tune.NotApplicable })
	for i, format := range rendered(p) {
		if i == 0 || server && format == "postgresql.conf" {
			next = append(next, shellLine(append(append([]string{plinth, "tune", "render"}, words...), "--to", format)))
		}
	}
	return next
}

// applying returns the flags that apply the plan; nil if nothing but server settings would
// change.
func applying(p *tune.Plan, load []string) (flags []string) {
	wide, change, here := false, false, false
	for _, c := range p.Changes {
		switch {
		case c.Layer == knob.Server && c.State != tune.NotApplicable:
		case c.State == tune.ToChange, c.State == tune.Later:
			change = true
			wide = wide || c.HostWide()
			here = here || c.Layer != knob.Hypervisor
		case c.State == tune.Cannot && c.Needs != knob.OpenHeld:
			flags = append(flags, "--without", c.Key.String())
		}
	}
	if !change {
		return nil
	}
	if wide {
		flags = append(flags, "--host")
	}
	if !here { // a domain applies it at its next start, not with a command
		return append(flags, "--until", "rollback")
	}
	return append(append(flags, "--"), load...)
}

// loadOf returns an example of a command that loads a server of an engine.
func loadOf(engine string) []string {
	if engine == "redis" {
		return []string{"redis-benchmark", "-t", "get,set"}
	}
	return []string{"pgbench", "mydb"}
}

// rendered returns the formats that can hold some of a plan, except shell and tuned.
func rendered(p *tune.Plan) (names []string) {
	for _, name := range render.Formats() {
		if _, err := render.Render(p, name); err == nil && name != "shell" && name != "tuned" {
			names = append(names, name)
		}
	}
	return names
}

// words returns the flags as a user would type them again.
func (f *tuneFlags) words() []string {
	var words []string
	add := func(name, value string) {
		if value != "" {
			words = append(words, name, value)
		}
	}
	for _, set := range f.sets {
		add("--set", set)
	}
	for _, part := range f.without {
		add("--without", part)
	}
	add("--data", f.data)
	add("--wal", f.wal)
	for _, p := range f.probes {
		add("--probe", p)
	}
	add("--domain", f.domain)
	add("--libvirt", f.uri)
	if f.server != "" { // it may contain a password
		add("--server", "SERVER")
	}
	if f.unsafe {
		words = append(words, "--unsafe")
	}
	return words
}

// shellLine quotes a command for a shell.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$&|;<>()*?[]#~`!{}") {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
