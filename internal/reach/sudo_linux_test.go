package reach

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/reach/reachtest"
)

// addRule adds the first rule of a hint to the host's sudoers.
func addRule(t *testing.T, h *reachtest.Host, err error) {
	t.Helper()
	_, rule, found := strings.Cut(hint.Of(err), "/etc/sudoers.d/plinth: ")
	if !found {
		t.Fatalf("the hint has no rule: %v, %q", err, hint.Of(err))
	}
	rule, _, _ = strings.Cut(rule, ";")
	h.Run("cat >>/etc/sudoers <<'END'\n" + rule + "\nEND\nvisudo -cqf /etc/sudoers")
}

// The rule of the hint is what sudo needs, for this binary alone.
func TestSudoByDigest(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{Users: []string{"admin"}, Shell: "/bin/bash", Prepare: "echo \"export XDG_CACHE_HOME='/home/admin/a, b=c:d'\" >/home/admin/.bashrc"})
	sudo := Options{Become: "sudo"}
	_, err := openAt(t, n, "ssh://admin@db1", sudo)
	check(t, nil, err, "cannot run plinth as root on db1: sudo: a password is required", "admin ALL=(root) NOPASSWD: sha256:")
	addRule(t, h, err)
	s := mustOpen(t, n, "ssh://admin@db1", sudo)
	if uid := ask(t, s, "uid"); uid != "0" || s.Copied || s.Directory != "/home/admin/a, b=c:d/plinth" {
		t.Errorf("it runs as %s, %+v", uid, s)
	}
	mask := ask(t, s, "umask")
	if mask != "0022" {
		t.Errorf("its umask is %s", mask)
	}
	// Debian's sudoers has use_pty: all bytes pass all the same.
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	go func() {
		_, _ = fmt.Fprintf(s, "raw %d\n", len(data))
		_, _ = s.Write(data)
	}()
	got := make([]byte, len(data))
	if _, err := io.ReadFull(s, got); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the bytes that came back differ, %v", err)
	}
	pid := ask(t, s, "pid")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	hosttest.WaitFor(t, "the agent to end", func() bool { _, err := h.Try("kill -0 " + pid); return err != nil })

	// The user cannot run another program in its place.
	if out, err := h.Try(`su -s /bin/sh admin -c 'cd "/home/admin/a, b=c:d/plinth"; cp /bin/true x; mv x plinth-*; sudo -n "$PWD"/plinth-* agent'`); err == nil || !strings.Contains(out, "sudo: ") {
		t.Errorf("sudo ran another program: %q", out)
	}
}

// ssh is killed: the agent that sudo runs ends, too.
func TestSudoEndsWithTheConnection(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{Users: []string{"admin"}, Sudoers: "admin ALL=(root) NOPASSWD: ALL"})
	s := mustOpen(t, n, "ssh://admin@db1", Options{Become: "sudo"})
	pid := ask(t, s, "pid")
	if err := s.conn.process.Stop(); err != nil {
		t.Fatal(err)
	}
	hosttest.WaitFor(t, "the agent to end", func() bool { _, err := h.Try("kill -0 " + pid); return err != nil })
}

// A program that root alone can change needs no digest, and nothing is copied.
func TestSudoByPath(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{Users: []string{"admin"}})
	install(t, h)
	sudo := Options{Become: "sudo"}
	_, err := openAt(t, n, "ssh://admin@db1", sudo)
	check(t, nil, err, "cannot run plinth as root on db1: sudo: a password is required", "admin ALL=(root) NOPASSWD: /usr/local/bin/plinth agent")
	addRule(t, h, err)
	s := mustOpen(t, n, "ssh://admin@db1", sudo)
	if uid := ask(t, s, "uid"); uid != "0" || s.Copied || s.Directory != "/usr/local/bin" {
		t.Errorf("it runs as %s, %+v", uid, s)
	}
	for name, change := range map[string]string{
		"writable by a group": "chmod 775 /usr/local/bin/plinth",
		"writable by all":     "chmod 757 /usr/local/bin/plinth",
		"owned by the user":   "chmod 755 /usr/local/bin/plinth; chown admin /usr/local/bin/plinth",
		"another version":     "rm /usr/local/bin/plinth; cp /bin/true /usr/local/bin/plinth",
		"a link":              "rm -f /usr/local/bin/plinth; ln -s /bin/true /usr/local/bin/plinth",
	} {
		h.Run("rm -f /usr/local/bin/plinth")
		install(t, h)
		h.Run(change)
		_, err := openAt(t, n, "ssh://admin@db1", sudo)
		if err == nil || !strings.Contains(hint.Of(err), "NOPASSWD: sha256:") {
			t.Errorf("%s: %v, %q", name, err, hint.Of(err))
		}
	}
}

// install copies this test binary to /usr/local/bin of a host.
func install(t *testing.T, h *reachtest.Host) {
	t.Helper()
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	h.Write("/usr/local/bin/plinth", data)
	h.Run("chmod 755 /usr/local/bin/plinth")
}

func TestSudoOtherwise(t *testing.T) {
	n := reachtest.New(t)
	n.Host("root", reachtest.Setup{})
	if uid := ask(t, mustOpen(t, n, "ssh://root", Options{Become: "sudo"}), "uid"); uid != "0" {
		t.Errorf("root runs as %s", uid)
	}
	n.Host("none", reachtest.Setup{Users: []string{"admin"}, Prepare: "mount --bind /dev/null /usr/bin/sudo"})
	mustFail(t, n, "ssh://admin@none", Options{Become: "sudo"}, "cannot run plinth as root on none: it has no program sudo", "install sudo")
	n.Host("other", reachtest.Setup{Users: []string{"admin"}, Sudoers: "admin ALL=(root) NOPASSWD: /bin/true\nadmin ALL=(root) NOPASSWD: sha256:0000000000000000000000000000000000000000000000000000000000000000 /home/admin/.cache/plinth/"})
	mustFail(t, n, "ssh://admin@other", Options{Become: "sudo"}, "cannot run plinth as root on other: sudo: ", "NOPASSWD: sha256:")
	n.Host("tty", reachtest.Setup{Users: []string{"admin"}, Sudoers: "Defaults requiretty\nadmin ALL=(root) NOPASSWD: ALL"})
	mustFail(t, n, "ssh://admin@tty", Options{Become: "sudo"}, "cannot run plinth as root on tty: sudo: sorry, you must have a tty", "Defaults:admin !requiretty")
}
