package elsewhere

import (
	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	sshaddress "plinth/internal/reach/address"
)

// MachineFlags name another machine.
type MachineFlags struct{ On, Become, Agents string }

// Register adds the flags; on is the help of --on.
func (m *MachineFlags) Register(f *pflag.FlagSet, on string) {
	f.StringVar(&m.On, "on", "", on)
	f.StringVar(&m.Become, "become", "", "with --on: run as root there, with `sudo`, which must not ask for a password")
	f.StringVar(&m.Agents, "agents", "", "`DIR` with plinth for machines of another architecture, as make release writes it")
}

// Check returns an error if the flags are not complete.
func (m *MachineFlags) Check(flags *pflag.FlagSet) error {
	switch {
	case flags.Changed("on") && m.On == "": // it would be done here
		return hint.Errorf("leave it out, or give a value: is a shell variable not set?", "--on: the value is empty")
	case m.On == "" && m.Become != "":
		return hint.Errorf("add --on ssh://HOST; on this machine, start plinth as root", "--become requires --on")
	case m.On == "" && m.Agents != "":
		return hint.Errorf("add --on ssh://HOST, or leave it out", "--agents requires --on")
	case m.On != "" && m.Become == "" && flags.Changed("become"):
		return base.NoneEmpty(flags)
	}
	return nil
}

// At returns the machine.
func (m *MachineFlags) At() (experiment.At, error) {
	at := experiment.At{SSH: m.On, Become: m.Become}
	_, err := sshaddress.Parse(m.On)
	if err == nil && m.Become != "" && m.Become != "sudo" {
		err = hint.Errorf("the only program that is supported is sudo", "--become: cannot become root with %q", m.Become)
	}
	return at, base.Usage(err)
}
