package reach

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/reach/address"
)

// sshFailed is the exit code of ssh when it failed itself; all others are those of the remote command.
const sshFailed = 255

// beside matches lines of ssh that do not say why it failed.
var beside = regexp.MustCompile(`^(Warning: Permanently added|@+|debug\d:|Authorized uses only|Killed by signal|Pseudo-terminal|` +
	`Host key verification failed|Connection to \S+ closed\.$|Connection closed by UNKNOWN|kex_exchange_identification|client_loop: send disconnect|Shared connection|mux_client|ControlSocket)`)

// last returns the last line that says why something failed; the last of all if there is none.
func (t *tail) last() string {
	lines := t.all()
	for i := len(lines) - 1; i >= 0; i-- {
		if !beside.MatchString(lines[i]) {
			return lines[i]
		}
	}
	if len(lines) > 0 {
		return lines[len(lines)-1]
	}
	return ""
}

func (t *tail) has(text string) bool {
	for _, line := range t.all() {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// advice says what to do about a failure of ssh that prints a text.
var advice = []struct{ text, hint string }{
	{"Could not resolve hostname", "check the name; it is one that ssh knows, so a Host of ~/.ssh/config can name it, too"},
	{"Connection refused", "check that sshd runs there, and its port: ssh://host:port"},
	{"Permission denied (", "this must work without a password: %s; add your key to ssh-agent (ssh-add), or to the account there (ssh-copy-id)"},
	{"Too many authentication failures", "set IdentityFile and IdentitiesOnly for the host in ~/.ssh/config"},
	{"No route to host", "check the address, and that the machine is running"},
	{"Network is unreachable", "check the address, and this machine's network"},
	{"timed out", "check the address, the port, and the firewalls between; a ProxyJump in ~/.ssh/config can go around them"},
	{"not responding", "the machine or the network failed; start plinth again when this works: %s"},
	{"Connection closed by", "check that an ssh server answers on this port, and that it accepts connections from here"},
	{"Connection reset by", "check that an ssh server answers on this port, and that it accepts connections from here"},
	{"Bad owner or permissions", "make the file that ssh names writable for you alone"},
	{"Bad configuration option", "correct the configuration that ssh names"},
	{"Unable to negotiate", "the two versions of ssh have no method in common; update the older one"},
}

// typed returns the command line of ssh that a user can try.
func typed(a address.Address, command string) string {
	text := "ssh "
	if a.Port != 0 {
		text += "-p " + strconv.Itoa(a.Port) + " "
	}
	if a.User != "" {
		text += a.User + "@"
	}
	return strings.TrimSpace(text + a.Host + " " + command)
}

// explain returns why the connection ended during something; nil if the program ended as it should.
func (c *conn) explain(during string, status launch.ExitStatus, err error) error {
	said := c.errs.last()
	switch {
	case err != nil:
		return fmt.Errorf("cannot reach %s: %w", c.address.Name(), err)
	case len(c.address.Command) > 0:
		return c.commandEnded(status, said)
	case status.Signal != nil:
		return fmt.Errorf("cannot reach %s: ssh was ended by the signal %v", c.address.Name(), status.Signal)
	case status.Code == sshFailed:
		return c.connectionFailed(during, said)
	case during == connecting:
		return c.noShell(status, said)
	case status.Code == 0:
		return nil
	}
	return fmt.Errorf("plinth's agent on %s ended with the exit code %d%s", c.address.Name(), status.Code, because(said))
}

// What goes on when a connection ends.
const (
	connecting = ""
	copying    = "while plinth was being copied"
	preparing  = "while plinth was looking for itself there"
	talking    = "while the agent was running"
)

func (c *conn) connectionFailed(during, said string) error {
	if during == connecting {
		if err := c.hostKey(); err != nil {
			return err
		}
	}
	if said == "" {
		said = "ssh failed without a message"
	}
	text, try := fmt.Sprintf("cannot reach %s: %s", c.address.Name(), said), "try it: "
	if during != connecting {
		text, try = fmt.Sprintf("lost the connection to %s %s: %s", c.address.Name(), during, said), "start plinth again when this works: "
	}
	for _, a := range advice {
		if strings.Contains(said, a.text) {
			return hint.Wrap(errors.New(text), strings.ReplaceAll(a.hint, "%s", typed(c.address, "true")))
		}
	}
	return hint.Wrap(errors.New(text), try+typed(c.address, "true"))
}

var fingerprint = regexp.MustCompile(`SHA256:[A-Za-z0-9+/]{43}`)

// hostKey explains that ssh does not trust the host's key; nil if that is not what failed.
func (c *conn) hostKey() error {
	name := c.address.Name()
	switch {
	case c.errs.has("REVOKED HOST KEY DETECTED"):
		return hint.Errorf("do not connect: ask the host's administrator", "cannot reach %s: its host key was revoked", name)
	case c.errs.has("REMOTE HOST IDENTIFICATION HAS CHANGED"):
		detail := ""
		for _, line := range c.errs.all() {
			if found := fingerprint.FindString(line); found != "" {
				detail = " (the new one is " + found + ")"
			}
		}
		return hint.Errorf("another machine may be answering: ask the host's administrator whether, and why, the key changed, "+
			"and compare its fingerprint; only then replace the key that is stored here",
			"cannot reach %s: its host key has changed%s", name, detail)
	case c.errs.has("Host key verification failed"):
		return hint.Errorf("connect once and compare the fingerprint with that of the host: "+typed(c.address, "")+
			"; the host's is printed there by ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
			"cannot reach %s: its host key is not known here", name)
	}
	return nil
}

// noShell explains that the remote login shell ended before it ran the script.
func (c *conn) noShell(status launch.ExitStatus, said string) error {
	name := c.address.Name()
	if status.Code == 126 || status.Code == 127 {
		return hint.Errorf("plinth needs a POSIX shell there, as sh in the PATH of a session without a terminal; or give a command that starts its agent",
			"cannot start anything on %s: there is no sh%s", name, because(said))
	}
	return hint.Errorf("the account must be allowed to run programs: check its login shell, ForceCommand in sshd_config, and command= in authorized_keys",
		"cannot start anything on %s: the session ended at once, with the exit code %d%s", name, status.Code, because(said))
}

func (c *conn) commandEnded(status launch.ExitStatus, said string) error {
	switch {
	case status.Signal != nil:
		return fmt.Errorf("the command %s was ended by the signal %v", c.address, status.Signal)
	case status.Code == 0:
		return nil
	}
	return hint.Errorf("the command must start plinth agent, of this version, with its standard input and output connected; try it in a terminal",
		"the command %s ended with the exit code %d%s", c.address, status.Code, because(said))
}

// because returns what was said, as the end of a message.
func because(said string) string {
	if said == "" {
		return ""
	}
	return ": " + said
}
