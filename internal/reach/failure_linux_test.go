package reach

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/reach/address"
	"plinth/internal/reach/reachtest"
)

func TestUnreachable(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	mustFail(t, n, "ssh://nowhere.invalid", Options{}, "cannot reach nowhere.invalid: ssh: Could not resolve hostname nowhere.invalid: ", "check the name")
	mustFail(t, n, "ssh://db1:2222", Options{}, "cannot reach db1: ssh: connect to host 10.99.0.2 port 2222: Connection refused", "check that sshd runs there")
	mustFail(t, n, "ssh://10.88.0.1", Options{}, "cannot reach 10.88.0.1: ssh: connect to host 10.88.0.1 port 22: Network is unreachable", "network")
	mustFail(t, n, "ssh://nobody-here@db1", Options{}, "Permission denied (publickey)", "ssh nobody-here@db1 true")
	known := mustOpen(t, n, "ssh://db1", Options{})
	h.NewKey()
	var key string
	hosttest.WaitFor(t, "sshd to use the new key", func() bool {
		key = h.Run("ssh-keygen -lf /run/plinth/key | cut -d ' ' -f 2")
		found, err := h.Try("ssh-keyscan -t ed25519 127.0.0.1 2>/dev/null | ssh-keygen -lf - | cut -d ' ' -f 2")
		return err == nil && found == key
	})
	mustFail(t, n, "ssh://db1", Options{}, "cannot reach db1: its host key has changed (the new one is "+key+")", "ask the host's administrator")
	n.Forget()
	mustFail(t, n, "ssh://db1:22", Options{}, "cannot reach db1: its host key is not known here", "ssh -p 22 db1")
	if got := ask(t, known, "on"); got != "on" {
		t.Errorf("an open session answers %q", got)
	}
}

func TestKeyRefused(t *testing.T) {
	n := reachtest.New(t)
	n.Host("db1", reachtest.Setup{})
	n.RefuseKey()
	mustFail(t, n, "ssh://db1", Options{}, "cannot reach db1: root@10.99.0.2: Permission denied (publickey).", "must work without a password: ssh db1 true")
}

func TestWithoutSSH(t *testing.T) {
	_, err := Open(t.Context(), address.Address{Host: "db1"}, Options{SSH: "/nowhere/ssh"})
	check(t, nil, err, "cannot reach db1: there is no program /nowhere/ssh", "openssh-client")
	t.Setenv("PLINTH_SSH", "/nowhere/else")
	_, err = Open(t.Context(), address.Address{Host: "db1"}, Options{})
	check(t, nil, err, "cannot reach db1: there is no program /nowhere/else", "PLINTH_SSH")
	for _, a := range []address.Address{{Host: "-v"}, {Host: "db1", User: "-v"}} {
		_, err := Open(t.Context(), a, Options{})
		check(t, nil, err, "does not begin with '-'", "~/.ssh/config")
		check(t, nil, Clean(t.Context(), a, Options{}), "does not begin with '-'", "~/.ssh/config")
	}
	_, err = Open(t.Context(), address.Address{Host: "db1"}, Options{Become: "doas"})
	check(t, nil, err, `cannot become root with "doas"`, "sudo")
}

func TestSSHVariable(t *testing.T) {
	n := reachtest.New(t)
	n.Host("db1", reachtest.Setup{})
	t.Setenv("PLINTH_SSH", n.SSH)
	s, err := Open(t.Context(), address.Address{Host: "db1"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if got := ask(t, s, "hello"); got != "hello" {
		t.Error(got)
	}
}

// What sshd or the login shell does instead of running sh.
func TestNoShell(t *testing.T) {
	n := reachtest.New(t)
	n.Host("empty", reachtest.Setup{Shell: "/bin/bash", SSHD: "SetEnv PATH=/nowhere"})
	mustFail(t, n, "ssh://empty", Options{}, "cannot start anything on empty: there is no sh: ", "POSIX shell")
	n.Host("locked", reachtest.Setup{Users: []string{"admin"}, Shell: "/usr/sbin/nologin"})
	mustFail(t, n, "ssh://admin@locked", Options{}, "the session ended at once, with the exit code 1: This account is currently not available.", "login shell")
	n.Host("forced", reachtest.Setup{SSHD: "ForceCommand echo only backups are allowed >&2"})
	mustFail(t, n, "ssh://forced", Options{}, "the session ended at once, with the exit code 0: only backups are allowed", "ForceCommand")
	n.Host("sftp", reachtest.Setup{SSHD: "ForceCommand internal-sftp"})
	mustFail(t, n, "ssh://sftp", Options{}, "the session ended at once, with the exit code 1: This service allows sftp connections only.", "login shell")
	n.Host("slow", reachtest.Setup{SSHD: "ForceCommand sleep 1000"})
	mustFail(t, n, "ssh://slow", Options{patience: 1e9}, "cannot reach slow: it does not answer", "ssh slow true")
	n.Host("endless", reachtest.Setup{SSHD: "ForceCommand yes hello"})
	mustFail(t, n, "ssh://endless", Options{}, `its login shell prints more than 64KiB; the first line is "hello"`, "startup files")
	n.Host("long", reachtest.Setup{SSHD: "ForceCommand cat /dev/zero"})
	mustFail(t, n, "ssh://long", Options{}, `its login shell prints more than 64KiB`, "ssh long true")
	n.Host("banner", reachtest.Setup{SSHD: "Banner /etc/hostname\nForceCommand exit 4"})
	mustFail(t, n, "ssh://banner", Options{}, "the session ended at once, with the exit code 4", "ForceCommand")
}

// Login shells whose syntax differs from sh's, and that print.
func TestLoginShells(t *testing.T) {
	n := reachtest.New(t)
	for shell, startup := range map[string]string{
		"bash": `printf 'welcome\nplinth is not this\nno line break' >~/.bashrc`,
		"csh":  `printf 'echo "welcome"\necho -n "no line break"\n' >~/.cshrc`,
		"fish": `mkdir -p ~/.config/fish; printf 'echo welcome\necho -n "no line break"\n' >~/.config/fish/config.fish`,
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := launch.FindProgram(shell)
			if err != nil && os.Getenv("CI") != "" && shell != "fish" { // fish is not among the test packages
				t.Fatal(err)
			}
			if err != nil {
				t.Skip(err)
			}
			if shell == "bash" {
				startup = `printf 'printf "welcome\\nplinth is not this\\nno line break"' >~/.bashrc`
			}
			n.Host(shell, reachtest.Setup{Shell: path, Prepare: "HOME=/root\n" + startup})
			out, err := launchOutput(t, n.SSH, shell, "true")
			if err != nil || !strings.Contains(out, "no line break") {
				t.Errorf("the shell prints %q, %v", out, err)
			}
			s := mustOpen(t, n, "ssh://"+shell, Options{})
			if got := ask(t, s, "a word"); got != "a word" {
				t.Errorf("the agent answers %q", got)
			}
		})
	}
}

func launchOutput(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	_, err := launch.Run(t.Context(), launch.NewLocal(), launch.Command{Path: program, Args: args, Stdout: &out})
	return out.String(), err
}

func TestProxyJump(t *testing.T) {
	n := reachtest.New(t)
	gate := n.Host("gate", reachtest.Setup{Users: []string{"guest"}})
	n.Host("db1", reachtest.Setup{})
	n.Configure("Host db1", "  ProxyJump guest@gate")
	s := mustOpen(t, n, "ssh://db1", Options{})
	if from := ask(t, s, "env SSH_CONNECTION"); !strings.HasPrefix(from, gate.Address+" ") {
		t.Errorf("it was reached from %s", from)
	}
	_ = s.Close()
	gate.Cut()
	n.Configure("Host gate", "  ConnectTimeout 1")
	mustFail(t, n, "ssh://db1", Options{}, "cannot reach db1: ssh: connect to host "+gate.Address+" port 22: ", "check the address")
}

// What a user's configuration says does not prevent a session: a command, a terminal, forwardings.
func TestConfiguration(t *testing.T) {
	n := reachtest.New(t)
	n.Host("db1", reachtest.Setup{})
	n.Configure("Host *", "  RemoteCommand echo other", "  RequestTTY force", "  LocalForward 4000 localhost:4000", "  ExitOnForwardFailure yes",
		"  ControlMaster auto", "  ControlPersist 10", "  ControlPath "+t.TempDir()+"/%C", "  ForwardAgent yes", "  VisualHostKey yes")
	for range 2 {
		s := mustOpen(t, n, "ssh://db1", Options{})
		if got := ask(t, s, "a\tword\r"); got != "a\tword\r" {
			t.Errorf("the agent answers %q", got)
		}
		if got := ask(t, s, "env SSH_TTY"); got != "" {
			t.Errorf("it has the terminal %s", got)
		}
	}
}

// aarch64 makes a host look like another machine.
const aarch64 = `printf '#!/bin/sh\ncase $1 in -m) echo aarch64 ;; *) exec /usr/bin/uname "$@" ;; esac\n' >/usr/local/bin/uname; chmod 755 /usr/local/bin/uname`

func TestOtherArchitecture(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("this machine is the other architecture")
	}
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{Prepare: aarch64})
	mustFail(t, n, "ssh://db1", Options{}, "db1 is aarch64, and this plinth is x86_64", "--agents DIR")
	dir := t.TempDir()
	mustFail(t, n, "ssh://db1", Options{Agents: dir}, "db1 is aarch64, and this plinth is x86_64: there is no plinth-*-linux-arm64.tar.gz in "+dir, "make release")
	mustFail(t, n, "ssh://db1", Options{Agents: dir + "/no"}, "there is no directory "+dir+"/no", "--agents DIR")
	writeRelease(t, dir, "v1.0")
	s := mustOpen(t, n, "ssh://db1", Options{Agents: dir})
	if got := ask(t, s, "a word"); got != "a word" || !s.Copied || s.Machine.Architecture != "aarch64" {
		t.Errorf("%q, %+v", got, s)
	}
	writeRelease(t, dir, "v1.1")
	mustFail(t, n, "ssh://db1", Options{Agents: dir}, "there are 2 releases for linux-arm64", "only the release of this version")
	h.Run("sed -i s/aarch64/riscv64/ /usr/local/bin/uname")
	mustFail(t, n, "ssh://db1", Options{Agents: dir}, "db1 is riscv64, and there is no plinth for it", "x86_64 and aarch64")
	h.Run(`printf '#!/bin/sh\necho FreeBSD\n' >/usr/local/bin/uname`)
	mustFail(t, n, "ssh://db1", Options{Agents: dir}, "db1 runs FreeBSD", "Linux only")
}

// writeRelease writes this test binary as a release for aarch64.
func writeRelease(t *testing.T, dir, version string) {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	name := "plinth-" + version + "-linux-arm64"
	file, err := os.Create(filepath.Join(dir, name+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(file)
	files := tar.NewWriter(packed)
	for name, data := range map[string][]byte{name + "/README.md": []byte("read me"), name + "/plinth": self} {
		if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(files.Close(), packed.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// awaitPart waits until a part of plinth has arrived. It may be called in any goroutine.
func awaitPart(h *reachtest.Host) {
	_, _ = h.Try(`for i in $(seq 6000); do [ -n "$(find /root/.cache/plinth -name '.new-*' -size +1k)" ] && exit 0; sleep 0.01; done`)
}

// The other end is killed while it receives plinth: what it had received is removed next time.
func TestKilledWhileCopying(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	n.In("tc qdisc add dev v2 root tbf rate 4mbit burst 16k latency 50ms")
	killed := make(chan struct{})
	o := Options{Say: func(string) {
		go func() {
			defer close(killed)
			awaitPart(h)
			_, _ = h.Try("kill -9 -1")
		}()
	}}
	mustFail(t, n, "ssh://db1", o, "lost the connection to db1 while plinth was being copied: ", "ssh db1 true")
	<-killed
	n.In("tc qdisc del dev v2 root")
	left := h.Run("ls -A /root/.cache/plinth")
	if !strings.HasPrefix(left, ".new-db1-") {
		t.Errorf("left: %q", left)
	}
	mustOpen(t, n, "ssh://db1", Options{})
	if left := h.Run("ls -A /root/.cache/plinth"); !strings.HasPrefix(left, "plinth-") || strings.Contains(left, "\n") {
		t.Errorf("then there is %q", left)
	}
}

// A copy that plinth gives up leaves nothing.
func TestCancelWhileCopying(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	n.In("tc qdisc add dev v2 root tbf rate 4mbit burst 16k latency 50ms")
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Open(ctx, address.Address{Host: "db1"}, Options{SSH: n.SSH, Say: func(string) {
		go func() {
			awaitPart(h)
			cancel(enough)
		}()
	}})
	check(t, nil, err, "cannot reach db1: enough", none)
	if !errors.Is(err, enough) {
		t.Errorf("the error is not the cause: %v", err)
	}
	hosttest.WaitFor(t, "the part to be removed", func() bool { return h.Run("ls -A /root/.cache/plinth 2>/dev/null || true") == "" })
}

// A copy whose input ends early leaves nothing, although the other end still can answer: not even
// the next directory.
func TestEndWhileCopying(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	c := exec.Command(n.SSH, "db1", "sh")
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err := errors.Join(err1, err2, c.Start()); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for _, step := range []struct{ say, answer string }{
		{script + "main marker\n", "ready"},
		{"run " + strings.Repeat("0", 64) + " 1000000\n", "send gzip /root/.cache/plinth"},
		{"1000\nabc", ""},
	} {
		if _, err := io.WriteString(in, step.say); err != nil {
			t.Fatal(err)
		}
		for step.answer != "" && answers.Scan() && strings.TrimSpace(answers.Text()) != step.answer {
		}
	}
	_ = in.Close()
	last := ""
	for answers.Scan() {
		last = answers.Text()
	}
	if _ = c.Wait(); !strings.HasPrefix(last, "send gzip /var/tmp/plinth") {
		t.Errorf("the last answer is %q", last)
	}
	if left := h.Run("find /root/.cache /tmp /var/tmp -name '*plinth*'"); left != "" {
		t.Errorf("left: %s", left)
	}
}

// Several at once copy to the same directory.
func TestAtOnce(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	errs := make(chan error)
	for range 4 {
		go func() {
			s, err := Open(t.Context(), address.Address{Host: "db1"}, Options{SSH: n.SSH})
			if err == nil {
				if _, err = io.WriteString(s, "word\n"); err == nil {
					_, err = io.ReadFull(s, make([]byte, 5))
				}
				err = errors.Join(err, s.Close())
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if left := h.Run("ls -A /root/.cache/plinth"); !strings.HasPrefix(left, "plinth-") || strings.Contains(left, "\n") {
		t.Errorf("there is %q", left)
	}
}
