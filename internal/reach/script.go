package reach

import (
	"bufio"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

//go:embed reach.sh
var script string

// bannerLimit is how many bytes a login shell may print before the script answers.
const bannerLimit = 64 << 10

// brokenError says that the streams ended in the middle of something. Why is known when ssh has ended.
type brokenError struct {
	during string
	cause  error
}

func (e brokenError) Error() string { return "the connection ended " + e.during }
func (e brokenError) Unwrap() error { return e.cause }

// hello sends the script and skips what a login shell prints before its first answer.
func (c *conn) hello() error {
	marker := "plinth " + rand.Text()
	if err := c.send(script + "main '" + marker + "'\n"); err != nil {
		return brokenError{connecting, err}
	}
	first := "" // the first line that is not the script's
	for read := 0; ; {
		line, err := c.line()
		if err == nil && line == marker {
			return nil
		}
		if first == "" {
			first = printable(line)
		}
		read += len(line) + 1
		if read > bannerLimit || errors.Is(err, bufio.ErrBufferFull) {
			return c.talkative(first)
		}
		if err != nil {
			if first != "" {
				_, _ = fmt.Fprintln(c.errs, first) // such as "This account is currently not available."
			}
			return brokenError{connecting, err}
		}
	}
}

func (c *conn) talkative(first string) error {
	if first != "" {
		first = fmt.Sprintf("; the first line is %q", first)
	}
	return hint.Errorf("its startup files must print nothing in a session without a terminal; see what they print: "+typed(c.address, "true"),
		"cannot start anything on %s: its login shell prints more than %s%s", c.address.Name(), unit.Size(bannerLimit), first)
}

// answer reads a line of the script: its first word, and the others.
func (c *conn) answer(during string) (word, rest string, err error) {
	line, err := c.line()
	if err != nil {
		return "", "", brokenError{during, err}
	}
	word, rest, _ = strings.Cut(line, " ")
	return word, rest, nil
}

// greet reads what the script says about its machine, until it expects an order.
func (c *conn) greet(m *Machine) error {
	if err := c.hello(); err != nil {
		return err
	}
	for {
		word, rest, err := c.answer(preparing)
		if err != nil {
			return err
		}
		switch word {
		case "system":
			var system [3]string
			copy(system[:], strings.Fields(printable(rest)))
			*m = Machine{System: system[0], Architecture: system[1], Kernel: system[2]}
		case "connection":
			m.connected(rest)
		case "ready":
			if m.System != "Linux" {
				return hint.Errorf("plinth measures on Linux only", "%s runs %s", c.address.Name(), m.System)
			}
			return nil
		default:
			return c.unexpected(word, rest)
		}
	}
}

func (c *conn) unexpected(word, rest string) error {
	return fmt.Errorf("cannot start plinth on %s: its shell answered %q", c.address.Name(), printable(word+" "+rest))
}

// program lets the script find or receive plinth, and run its agent. It returns the path of the
// program; what can be read afterwards comes from the agent.
func (c *conn) program(o Options, m *Machine) (program string, copied bool, err error) {
	if err := c.greet(m); err != nil {
		return "", false, err
	}
	b, err := findBinary(c.address.Name(), m.Architecture, o)
	if err != nil {
		return "", false, err
	}
	if err := c.send(fmt.Sprintf("run %s %d %s\n", b.hash, b.size, o.Become)); err != nil {
		return "", false, brokenError{preparing, err}
	}
	var refused []string
	for during := preparing; ; {
		word, rest, err := c.answer(during)
		if err != nil {
			return "", false, err
		}
		switch word {
		case "found", "copied":
			return rest, word == "copied", nil
		case "no":
			refused, during = append(refused, printable(rest)), preparing
		case "send":
			during = copying
			if err := c.copy(b, rest, o.Say); err != nil {
				return "", false, err
			}
		default:
			return "", false, c.refusal(word, rest, b, refused)
		}
	}
}

// copy sends plinth. rest is how, and to which directory.
func (c *conn) copy(b binary, rest string, say func(string)) error {
	method, dir, _ := strings.Cut(rest, " ")
	say(fmt.Sprintf("copying plinth (%s) to %s:%s", about(b.size), c.address.Name(), printable(dir)))
	data, err := b.packed(method == "gzip")
	if err != nil {
		return fmt.Errorf("cannot read plinth's binary: %w", err)
	}
	if err = c.send(fmt.Sprintf("%d\n", len(data))); err == nil {
		_, err = c.in.Write(data)
	}
	if err != nil {
		return brokenError{copying, err}
	}
	return nil
}

// about returns a size in whole MB, as file managers show it.
func about(size int64) string { return fmt.Sprintf("%d MB", (size+500_000)/1_000_000) }

// refusal explains why the script does not run the agent.
func (c *conn) refusal(word, rest string, b binary, refused []string) error {
	name := c.address.Name()
	switch word {
	case "tools":
		return hint.Errorf("install coreutils or busybox there", "cannot copy plinth to %s: it has no program %s", name, printable(rest))
	case "none":
		return hint.Errorf(c.elsewhere(refused), "cannot copy plinth to %s: no directory can hold it: %s", name, strings.Join(refused, "; "))
	case "nosudo":
		return hint.Errorf("install sudo there, or connect as root", "cannot run plinth as root on %s: it has no program sudo", name)
	case "user":
		return c.sudoRefuses(printable(rest), b)
	}
	return c.unexpected(word, rest)
}

// elsewhere advises what to do if plinth cannot be copied.
func (c *conn) elsewhere(refused []string) string {
	all := strings.Join(refused, "\n")
	switch {
	case strings.Contains(all, "noexec"):
		return "set XDG_CACHE_HOME there to a directory where programs run, or install this version as /usr/local/bin/plinth"
	case strings.Contains(all, "space") || strings.Contains(all, "Disk quota") || strings.Contains(all, "full"):
		return "free some space in one of them, or install this version as /usr/local/bin/plinth"
	case strings.Contains(all, "link") || strings.Contains(all, "belongs") || strings.Contains(all, "access"):
		return "plinth runs nothing that another user could have changed: look at these directories, and remove them if they are not needed"
	}
	return "give the account a home directory that it can write, or install this version as /usr/local/bin/plinth"
}

// sudoRefuses explains which rule sudo needs: for a program that its user can replace, one with the
// digest of this version.
func (c *conn) sudoRefuses(user string, b binary) error {
	_, program, err := c.answer(preparing)
	if err != nil {
		return err
	}
	said, err := c.line()
	if err != nil {
		return brokenError{preparing, err}
	}
	failed := fmt.Errorf("cannot run plinth as root on %s: %s", c.address.Name(), printable(said))
	if strings.Contains(said, "tty") {
		return hint.Wrap(failed, "add this line with visudo -f /etc/sudoers.d/plinth: Defaults:"+escapeSudoers(user)+" !requiretty")
	}
	rule := fmt.Sprintf("%s ALL=(root) NOPASSWD: ", escapeSudoers(user))
	text := "add this rule with visudo -f /etc/sudoers.d/plinth: "
	if dir := path.Dir(program); dir == "/usr/local/bin" || dir == "/usr/bin" {
		text += rule + program + " agent"
	} else {
		text += rule + "sha256:" + b.hash + " " + escapeSudoers(program) + " agent; " +
			"for a rule that also holds for later versions, install plinth as /usr/local/bin/plinth, for root alone to change: " + rule + "/usr/local/bin/plinth agent"
	}
	return hint.Wrap(failed, plain(text))
}

// escapeSudoers escapes what has a meaning in sudoers(5).
func escapeSudoers(text string) string {
	return strings.NewReplacer(`\`, `\\`, " ", `\ `, ",", `\,`, ":", `\:`, "=", `\=`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "!", `\!`, "#", `\#`).Replace(text)
}

// clean lets the script remove what was copied.
func (c *conn) clean(say func(string)) error {
	var m Machine
	if err := c.greet(&m); err != nil {
		return err
	}
	if err := c.send("clean\n"); err != nil {
		return brokenError{preparing, err}
	}
	for {
		word, rest, err := c.answer(preparing)
		switch {
		case err != nil:
			return err
		case word == "removed":
			say("removed " + c.address.Name() + ":" + printable(rest))
		case word == "done":
			return nil
		default:
			return c.unexpected(word, rest)
		}
	}
}
