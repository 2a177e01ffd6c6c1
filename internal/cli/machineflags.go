package cli

import (
	"github.com/spf13/pflag"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	sshaddress "plinth/internal/reach/address"
)

// machineFlags name another machine.
type machineFlags struct{ on, become, agents string }

// register adds the flags; on is the help of --on.
func (m *machineFlags) register(f *pflag.FlagSet, on string) {
	f.StringVar(&m.on, "on", "", on)
	f.StringVar(&m.become, "become", "", "with --on: run as root there, with `sudo`, which must not ask for a password")
	f.StringVar(&m.agents, "agents", "", "`DIR` with plinth for machines of another architecture, as make release writes it")
}

// check returns an error if the flags are not complete.
func (m *machineFlags) check(flags *pflag.FlagSet) error {
	switch {
	case flags.Changed("on") && m.on == "": // it would be done here
		return hint.Errorf("leave it out, or give a value: is a shell variable not set?", "--on: the value is empty")
	case m.on == "" && m.become != "":
		return hint.Errorf("add --on ssh://HOST; on this machine, start plinth as root", "--become requires --on")
	case m.on == "" && m.agents != "":
		return hint.Errorf("add --on ssh://HOST, or leave it out", "--agents requires --on")
	case m.on != "" && m.become == "" && flags.Changed("become"):
		return noneEmpty(flags)
	}
	return nil
}

// at returns the machine.
func (m *machineFlags) at() (experiment.At, error) {
	at := experiment.At{SSH: m.on, Become: m.become}
	_, err := sshaddress.Parse(m.on)
	if err == nil && m.become != "" && m.become != "sudo" {
		err = hint.Errorf("the only program that is supported is sudo", "--become: cannot become root with %q", m.become)
	}
	return at, usage(err)
}
