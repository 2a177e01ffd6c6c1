// Package reach starts plinth's agent at the other end, over the user's own ssh or by a command,
// and returns the streams to its standard input and output.
//
// Nothing is installed at the other end and nothing listens there. If it does not have this version
// of plinth, the binary is copied to a private directory, over the same connection.
package reach

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/reach/address"
)

// Options say how an agent is started.
type Options struct {
	Self     string        // the binary of this plinth; /proc/self/exe if empty
	Agents   string        // a directory with releases for other architectures, as make release writes to dist/
	Become   string        // "sudo" to run the agent as root; not with a command
	SSH      string        // the ssh program; if empty, that of PLINTH_SSH, or ssh
	Wait     time.Duration // how long ssh may take to connect; if zero, ssh's configuration decides
	Launcher launch.Launcher
	Say      func(string) // reports steps that take long; nil for silence

	patience time.Duration // how long an answer may take; changed by a test
}

// Machine describes the other end, as it reports itself.
type Machine struct {
	System, Architecture, Kernel string // uname -s, -m and -r

	// The addresses of the ssh connection as the machine sees it: its own, and that of the machine from
	// which it was entered, which may be a jump host. Zero if sshd does not tell.
	Address, From netip.Addr
}

// connected takes sshd's SSH_CONNECTION (ssh(1)): the address and port of the client, then those of the
// server.
func (m *Machine) connected(text string) {
	fields := strings.Fields(text)
	if len(fields) != 4 {
		return
	}
	m.From, _ = netip.ParseAddr(fields[0])
	m.Address, _ = netip.ParseAddr(fields[2])
	m.From, m.Address = m.From.Unmap(), m.Address.Unmap()
}

func (o Options) complete() Options {
	if o.Self == "" {
		o.Self = "/proc/self/exe"
	}
	if o.Launcher == nil {
		o.Launcher = launch.NewLocal()
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.patience == 0 {
		o.patience = usualPatience
	}
	return o
}

func (o Options) check(a address.Address) error {
	switch {
	case o.Become != "" && o.Become != "sudo":
		return hint.Errorf("the only program that is supported is sudo", "cannot become root with %q", o.Become)
	case o.Become != "" && len(a.Command) > 0:
		return hint.Errorf("write it into the command: sudo -n plinth agent", "become does not apply to a command")
	}
	return nil
}

// Open starts the agent at the other end. ctx ends the opening, not the session.
//
// The binary must accept --version, which shows whether it runs there. The agent must end, and change
// nothing, when its standard input is empty, which shows whether sudo may run it.
func Open(ctx context.Context, a address.Address, o Options) (*Session, error) {
	if err := errors.Join(a.Check(), o.check(a)); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("cannot reach %s: %w", a.Name(), context.Cause(ctx))
	}
	o = o.complete()
	c, err := dial(a, o)
	if err != nil {
		return nil, err
	}
	s := &Session{conn: c}
	if len(a.Command) > 0 {
		return s, nil
	}
	done := c.within(ctx)
	err = s.begin(o)
	done()
	if err == nil && c.aborted() == nil {
		return s, nil
	}
	return nil, c.failed(err)
}

// Clean removes what plinth copied to the other end, in its own directories there. Agents that run
// go on.
func Clean(ctx context.Context, a address.Address, o Options) error {
	if err := errors.Join(a.Check(), o.check(a)); err != nil {
		return err
	}
	if len(a.Command) > 0 {
		return nil // nothing was copied
	}
	o = o.complete()
	c, err := dial(a, o)
	if err != nil {
		return err
	}
	done := c.within(ctx)
	err = c.clean(o.Say)
	done()
	if err != nil || c.aborted() != nil {
		return c.failed(err)
	}
	return c.close()
}

// failed ends a connection on which err happened, and returns the error to show: that of ssh, if ssh
// failed.
func (c *conn) failed(err error) error {
	var broken brokenError
	if c.aborted() != nil || errors.As(err, &broken) {
		if ended := c.ended(broken.during); ended != nil {
			err = ended
		} else {
			err = fmt.Errorf("cannot reach %s: the other end closed the session %s", c.address.Name(), broken.during)
		}
	}
	c.abort(err) // there is nothing to wait for
	_ = c.close()
	return err
}
