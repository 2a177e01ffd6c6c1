package reach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/reach/address"
	"plinth/internal/reach/reachtest"
)

// mustOpen starts the agent, which ends with the test.
func mustOpen(t *testing.T, n *reachtest.Net, address string, o Options) *Session {
	t.Helper()
	s, err := openAt(t, n, address, o)
	if err != nil {
		t.Fatalf("%v\nhint: %s", err, hint.Of(err))
	}
	return s
}

func openAt(t *testing.T, n *reachtest.Net, at string, o Options) (*Session, error) {
	t.Helper()
	a, err := address.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	o.SSH = n.SSH
	s, err := Open(t.Context(), a, o)
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// mustFail returns the error of Open, which must contain want, and hint its hint.
func mustFail(t *testing.T, n *reachtest.Net, address string, o Options, want, advice string) {
	t.Helper()
	s, err := openAt(t, n, address, o)
	check(t, s, err, want, advice)
}

// none is the hint of an error that has none.
const none = "-"

func check(t *testing.T, s *Session, err error, want, advice string) {
	t.Helper()
	if err == nil {
		t.Fatalf("%s was reached; want %q", s.conn.address, want)
	}
	got := hint.Of(err)
	if !strings.Contains(err.Error(), want) || (advice == none) != (got == "") || advice != none && !strings.Contains(got, advice) {
		t.Fatalf("the error is %q, with the hint %q;\nwant %q and %q", err, hint.Of(err), want, advice)
	}
	if testing.Verbose() {
		t.Logf("%v\nhint: %s", err, hint.Of(err))
	}
}

// ask sends a line to the agent and returns its answer.
func ask(t *testing.T, s *Session, line string) string {
	t.Helper()
	if _, err := io.WriteString(s, line+"\n"); err != nil {
		t.Fatalf("%v; %v", err, s.Err())
	}
	var answer strings.Builder
	for one := make([]byte, 1); ; {
		if _, err := io.ReadFull(s, one); err != nil {
			t.Fatalf("%s: %v after %q; %v", line, err, answer.String(), s.Err())
		}
		if one[0] == '\n' {
			return answer.String()
		}
		answer.WriteByte(one[0])
	}
}

func TestOpen(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{Users: []string{"admin"}})
	for _, tc := range []struct{ address, uid, dir string }{
		{"ssh://db1", "0", "/root/.cache/plinth"},
		{"ssh://admin@db1:22", "4001", "/home/admin/.cache/plinth"},
		{"ssh://root@" + h.Address, "0", "/root/.cache/plinth"},
	} {
		for _, again := range []bool{false, true} {
			again = again || strings.Contains(tc.address, h.Address) // root has it from before
			var said []string
			s := mustOpen(t, n, tc.address, Options{Say: func(line string) { said = append(said, line) }})
			if s.Copied == again || s.Directory != tc.dir || s.Machine.System != "Linux" || s.Machine.Architecture == "" || s.Machine.Kernel == "" {
				t.Errorf("%s: copied %v to %s, %+v", tc.address, s.Copied, s.Directory, s.Machine)
			}
			if len(said) == 0 != again {
				t.Errorf("%s: said %q", tc.address, said)
			}
			if uid := ask(t, s, "uid"); uid != tc.uid {
				t.Errorf("%s: runs as %s, want %s", tc.address, uid, tc.uid)
			}
			if exe := ask(t, s, "exe"); filepath.Dir(exe) != tc.dir {
				t.Errorf("%s: runs %s", tc.address, exe)
			}
			if mask := ask(t, s, "umask"); mask != "0022" {
				t.Errorf("%s: its umask is %s", tc.address, mask)
			}
			if err := s.Close(); err != nil || s.Err() != nil {
				t.Errorf("%s: closed: %v, %v", tc.address, err, s.Err())
			}
		}
	}
	if got := h.Run("stat -c '%a %U' /home/admin/.cache/plinth; ls -A /home/admin/.cache/plinth | grep -v '^plinth-[0-9a-f]*$' || true"); got != "700 admin" {
		t.Errorf("the directory is %q", got)
	}
}

// Every byte passes, in both directions, also if it looks like a line break or an escape.
func TestBytes(t *testing.T) {
	n := reachtest.New(t)
	n.Host("db1", reachtest.Setup{})
	s := mustOpen(t, n, "ssh://db1", Options{})
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	copy(data, "\r\n~.\r\n~?\x00\x03\x04\x1a")
	go func() {
		_, _ = fmt.Fprintf(s, "raw %d\n", len(data))
		_, _ = s.Write(data)
	}()
	got := make([]byte, len(data))
	if _, err := io.ReadFull(s, got); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the bytes that came back differ, %v", err)
	}
	if answer := ask(t, s, "end"); answer != "end" {
		t.Errorf("then it answered %q", answer)
	}
}

// Closing the session ends the agent and ssh, even if the agent's output is not read.
func TestClose(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	s := mustOpen(t, n, "ssh://db1", Options{})
	pid := ask(t, s, "pid")
	if _, err := h.Try("kill -0 " + pid); err != nil {
		t.Fatalf("process %s is not on the host", pid)
	}
	go func() { _, _ = s.Write(append(bytes.Repeat([]byte("x"), 8<<20), '\n')) }()
	buffer := make([]byte, 1)
	if _, err := io.ReadFull(s, buffer); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-s.conn.process.Done():
	default:
		t.Error("ssh runs on")
	}
	hosttest.WaitFor(t, "the agent to end", func() bool { _, err := h.Try("kill -0 " + pid); return err != nil })
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// Nothing of a session stays: files, goroutines or processes.
func TestNothingStays(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	one := func() { _ = mustOpen(t, n, "ssh://db1", Options{}).Close() }
	one()
	files := hosttest.OpenFiles(t)
	for range 3 {
		one()
	}
	if now := hosttest.OpenFiles(t); now > files {
		t.Errorf("%d files are open, %d were", now, files)
	}
	hosttest.WaitFor(t, "the sessions to end", func() bool { return !strings.Contains(h.Run("ps -e -o comm="), "plinth-") })
}

func TestClean(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	running := mustOpen(t, n, "ssh://db1", Options{})
	h.Run(`cd /root/.cache/plinth; touch plinth-0123456789abcdef .new-db1-99999 mine plinth-x
		mkdir -m 700 /tmp/plinth-0; touch /tmp/plinth-0/plinth-0123456789abcdef
		mkdir -m 700 /tmp/other; touch /tmp/other/plinth-0123456789abcdef; ln -s other /var/tmp/plinth-0`)
	var said []string
	a, _ := address.Parse("ssh://db1")
	if err := Clean(t.Context(), a, Options{SSH: n.SSH, Say: func(line string) { said = append(said, line) }}); err != nil {
		t.Fatal(err)
	}
	if got := h.Run("ls -A /root/.cache/plinth; ls /tmp /tmp/other; ls -d /var/tmp/*"); got != "mine\nplinth-x\n/tmp:\nother\n\n/tmp/other:\nplinth-0123456789abcdef\n/var/tmp/plinth-0" {
		t.Errorf("left: %q", got)
	}
	if len(said) != 4 {
		t.Errorf("said %q", said)
	}
	if got := ask(t, running, "still here"); got != "still here" {
		t.Errorf("the running agent answers %q", got)
	}
	if err := Clean(t.Context(), address.Address{Command: []string{"docker"}}, Options{}); err != nil {
		t.Error(err)
	}
}

func TestErr(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	s := mustOpen(t, n, "ssh://db1", Options{})
	_, _ = io.WriteString(s, "exit 3\n")
	if rest, err := io.ReadAll(s); err != nil || len(rest) != 0 {
		t.Errorf("read %q, %v", rest, err)
	}
	if err := s.Err(); err == nil || err.Error() != "plinth's agent on db1 ended with the exit code 3: the agent gives up" || s.Said() != "the agent gives up" {
		t.Errorf("%v; said %q", err, s.Said())
	}
	s = mustOpen(t, n, "ssh://db1", Options{})
	h.Run("kill -9 -1 || true")
	if rest, err := io.ReadAll(s); err != nil || len(rest) != 0 {
		t.Errorf("read %q, %v", rest, err)
	}
	check(t, s, s.Err(), "lost the connection to db1 while the agent was running: ", "ssh db1 true")
}

// A command is run as it is: nothing is copied.
func TestCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), address.Address{Command: []string{self, "agent"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, s, "a word"); got != "a word" || s.Copied || s.Directory != "" {
		t.Errorf("%q, %+v", got, s)
	}
	if err := s.Close(); err != nil || s.Err() != nil {
		t.Errorf("%v, %v", err, s.Err())
	}
	s, err = Open(t.Context(), address.Address{Command: []string{"sh", "-c", "echo 'no such container: pg' >&2; exit 1"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, s.Err(), "ended with the exit code 1: no such container: pg", "must start plinth agent")
	_ = s.Close()
	_, err = Open(t.Context(), address.Address{Command: []string{"/no/docker", "exec"}}, Options{})
	check(t, nil, err, "cannot reach /no/docker exec: there is no program /no/docker", none)
	_, err = Open(t.Context(), address.Address{Command: []string{self, "agent"}}, Options{Become: "sudo"})
	check(t, nil, err, "become does not apply to a command", "sudo -n plinth agent")
}

// A connection that never answers ends with the context, with everything that ssh started.
func TestCancelWhileConnecting(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	fifo := filepath.Join(t.TempDir(), "started")
	n.Configure("Host "+h.Name, "  ProxyCommand sh -c 'echo $$ >"+fifo+"; exec sleep 1000'")
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	var pid string
	go func() {
		defer cancel(enough)
		for len(pid) == 0 || !strings.HasSuffix(pid, "\n") {
			text, _ := os.ReadFile(fifo)
			pid = string(text)
			time.Sleep(time.Millisecond)
		}
	}()
	a, _ := address.Parse("ssh://db1")
	s, err := Open(ctx, a, Options{SSH: n.SSH})
	check(t, s, err, "cannot reach db1: enough", none)
	if !errors.Is(err, enough) {
		t.Errorf("the error is not the cause: %v", err)
	}
	hosttest.WaitFor(t, "the ProxyCommand to end", func() bool {
		text, err := os.ReadFile("/proc/" + strings.TrimSpace(pid) + "/stat")
		return err != nil || strings.Contains(string(text), ") Z ")
	})
	if _, err := Open(ctx, a, Options{SSH: n.SSH}); !errors.Is(err, enough) {
		t.Errorf("with a context that is done: %v", err)
	}
}
