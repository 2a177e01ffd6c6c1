package launch

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/hint"
)

// helper returns a command that runs this test binary as a helper.
func helper(t testing.TB, name string, env ...string) Command {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Path: exe, Env: append(append(os.Environ(), "PLINTH_TEST_HELPER="+name), env...)}
}

func start(t testing.TB, c Command) *process {
	t.Helper()
	p, err := NewLocal().Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	return p.(*process)
}

func TestExitIsReported(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want ExitStatus
	}{
		{[]string{"-c", "exit 0"}, ExitStatus{Code: 0}},
		{[]string{"-c", "exit 7"}, ExitStatus{Code: 7}},
		{[]string{"-c", "kill -TERM $$"}, ExitStatus{Code: -1, Signal: syscall.SIGTERM}},
		{[]string{"-c", "kill -KILL $$"}, ExitStatus{Code: -1, Signal: syscall.SIGKILL}},
		{[]string{"-c", "kill -INT $$"}, ExitStatus{Code: -1, Signal: syscall.SIGINT}},
	} {
		status, err := start(t, Command{Path: "/bin/sh", Args: tc.args}).Wait()
		if status != tc.want || err != nil {
			t.Errorf("%v ended with %+v, %v; want %+v", tc.args, status, err, tc.want)
		}
	}
}

func TestOutputIsCompleteWhenDone(t *testing.T) {
	var out, errs bytes.Buffer
	p := start(t, Command{
		Path: "/bin/sh", Args: []string{"-c", "cat; seq 100000; echo sorry >&2"},
		Stdout: &out, Stderr: &errs,
	})
	<-p.Done()
	if n := strings.Count(out.String(), "\n"); n != 100000 {
		t.Errorf("read %d lines, want 100000", n)
	}
	if errs.String() != "sorry\n" {
		t.Errorf("standard error was %q", errs.String())
	}
}

func TestEnvironmentDirectoryAndArguments(t *testing.T) {
	var out bytes.Buffer
	dir, _ := filepath.EvalSymlinks(t.TempDir())
	p := start(t, Command{
		Path: "/bin/sh", Args: []string{"-c", `pwd; echo "$1|$ODD|$HOME"`, "sh", "a b\xff"},
		Env: []string{"ODD=first", "ODD=caf\xe9 'x'\n"}, Dir: dir, Stdout: &out,
	})
	_, _ = p.Wait()
	if want := dir + "\na b\xff|caf\xe9 'x'\n|\n"; out.String() != want {
		t.Errorf("program saw %q, want %q", out.String(), want)
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("not a program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		command Command
		is      error
		text    string
	}{
		{"missing", Command{Path: dir + "/nowhere"}, fs.ErrNotExist, "cannot start " + dir + "/nowhere: no such file or directory"},
		{"not executable", Command{Path: plain}, fs.ErrPermission, "cannot start " + plain + ": permission denied"},
		{"no directory", Command{Path: "/bin/true", Dir: dir + "/nowhere"}, fs.ErrNotExist, "enter " + dir + "/nowhere"},
		{"pipe in no directory", Command{Path: "/bin/true", Pipes: []string{dir + "/nowhere/p"}}, fs.ErrNotExist, "make the pipe"},
		{"pipe is there", Command{Path: "/bin/true", Pipes: []string{plain}}, fs.ErrExist, "make the pipe"},
		{"relative", Command{Path: "true"}, nil, "its path is not absolute"},
	} {
		_, err := NewLocal().Start(tc.command)
		if err == nil || !strings.Contains(err.Error(), tc.text) || tc.is != nil && !errors.Is(err, tc.is) {
			t.Errorf("%s: error is %v; want %q", tc.name, err, tc.text)
		}
	}
	if _, err := os.Stat(plain); err != nil {
		t.Errorf("a file that was in the way of a pipe is gone: %v", err)
	}
}

func TestOtherUser(t *testing.T) {
	user := otherUser(t)
	var out bytes.Buffer
	p := start(t, Command{
		Path: "/usr/bin/id", Args: []string{"-a"}, Dir: "/", User: user, Stdout: &out,
	})
	if status, err := p.Wait(); status.Code != 0 || err != nil {
		t.Fatal(status, err)
	}
	if got := out.String(); !strings.Contains(got, "uid="+itoa(user.UID)+"(") || strings.Contains(got, "root") {
		t.Errorf("ran as %s; want %+v", got, user)
	}
}

func TestOtherUserThatMayNotExecute(t *testing.T) {
	user := otherUser(t)
	dir := t.TempDir() // 0700 on the way
	program := filepath.Join(dir, "true")
	if err := os.Symlink("/bin/true", program); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := NewLocal().Start(Command{Path: program, Dir: "/", User: user})
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(hint.Of(err), user.Name) {
		t.Errorf("error is %v (hint %q); want permission denied", err, hint.Of(err))
	}
}

func TestSignal(t *testing.T) {
	var out bytes.Buffer
	p := start(t, Command{Path: "/bin/sh", Stdout: &out,
		Args: []string{"-c", `trap 'echo got it; exit 3' USR1; kill -STOP $$; while :; do :; done`}})
	waitFor(t, "the program to stop itself", func() bool { return stateOf(p.PID()) == "T" })
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGCONT} {
		if err := p.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if status, _ := p.Wait(); status.Code != 3 || out.String() != "got it\n" {
		t.Errorf("ended with %+v, output %q", status, out.String())
	}
	if err := p.Signal(syscall.SIGUSR1); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal after the end: %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stop after the end: %v", err)
	}
}

func TestStopKillsWhatIgnoresIt(t *testing.T) {
	c := helper(t, "stubborn")
	var out lineSignal
	c.Stdout, c.Grace = out.init(), 50*1e6
	p := start(t, c)
	<-out.line
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(); status.Signal != syscall.SIGKILL || err != nil {
		t.Errorf("ended with %+v, %v", status, err)
	}
}

func TestStopSendsTheStopSignal(t *testing.T) {
	p := start(t, Command{Path: "/bin/sleep", Args: []string{"60"}, Stop: syscall.SIGINT})
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if status, _ := p.Wait(); status.Signal != syscall.SIGINT {
		t.Errorf("ended with %+v", status)
	}
}

func TestGroupEndsWithTheProgram(t *testing.T) {
	var out bytes.Buffer
	p := start(t, Command{Path: "/bin/sh", Args: []string{"-c", "sleep 60 & echo $!"}, Stdout: &out})
	if status, err := p.Wait(); status.Code != 0 || err != nil {
		t.Fatal(status, err)
	}
	pid := atoi(t, strings.TrimSpace(out.String()))
	waitFor(t, "the child left behind to end", func() bool { return !alive(pid) })
}
