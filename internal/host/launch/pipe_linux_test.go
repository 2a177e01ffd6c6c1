package launch

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func readPipe(t *testing.T, p *process) string {
	t.Helper()
	r, err := p.Pipe(0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if f, ok := r.(*os.File); ok { // a reader that hangs fails
		if err := f.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPipes(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		want         func(string) bool
	}{
		{"a line", `echo hello >"$1.$$"`, func(s string) bool { return s == "hello\n" }},
		{"opened twice", `echo one >"$1.$$"; echo two >>"$1.$$"`, func(s string) bool { return s == "one\ntwo\n" }},
		{"more than fits", `seq 1000000 >"$1.$$"`, func(s string) bool {
			return strings.Count(s, "\n") == 1e6 && strings.HasSuffix(s, "\n1000000\n")
		}},
		{"never opened", `exit 1`, func(s string) bool { return s == "" }},
		{"killed with it open", `exec 3>"$1.$$"; echo last >&3; kill -9 $$`, func(s string) bool { return s == "last\n" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			p := start(t, Command{Path: "/bin/sh", Args: []string{"-c", tc.script, "sh", dir + "/log"},
				Pipes: []string{dir + "/log.%p"}})
			// A program that ends quickly may leave nothing to read: only one that waits for a
			// reader is sure to be read.
			if got := readPipe(t, p); !tc.want(got) {
				t.Errorf("read %d bytes: %.40q", len(got), got)
			}
			<-p.Done()
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestPipeOfOtherUser(t *testing.T) {
	user := otherUser(t)
	dir, err := os.MkdirTemp("/var/tmp", "plinth-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	p := start(t, Command{Path: "/bin/sh", Args: []string{"-c", `id -u >"$1.$$"`, "sh", dir + "/log"}, Dir: "/",
		User: user, Pipes: []string{dir + "/log.%p"}})
	if got := readPipe(t, p); got != itoa(user.UID)+"\n" {
		t.Errorf("read %q", got)
	}
}

func TestPipeThatNobodyReads(t *testing.T) {
	dir := t.TempDir()
	p := start(t, Command{Path: "/bin/sh", Args: []string{"-c", `echo hello >"$1.$$"`, "sh", dir + "/log"},
		Pipes: []string{dir + "/log.%p"}})
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if got := readPipe(t, p); got != "" {
		t.Errorf("after the end: %q", got)
	}
}

// The guard is killed: plinth removes the pipes, and their readers reach EOF.
func TestPipesOfAKilledGuard(t *testing.T) {
	dir := t.TempDir()
	p := start(t, Command{Path: "/bin/sh", Args: []string{"-c", `exec 3>"$1.$$"; echo first >&3; exec sleep 60`, "sh", dir + "/log"},
		Pipes: []string{dir + "/log.%p"}})
	r, err := p.Pipe(0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first := make([]byte, 6)
	if _, err := io.ReadFull(r, first); err != nil {
		t.Fatal(err)
	}
	kill(t, p.guard.Process.Pid)
	if rest, err := io.ReadAll(r); len(rest) != 0 || err != nil {
		t.Errorf("then read %q, %v", rest, err)
	}
	<-p.Done()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPipeIsLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read, keep, err := openPipe(path)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer keep.Close()
	raw, err := read.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	_ = raw.Control(func(fd uintptr) { size, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) })
	if err != nil || size != pipeSize {
		t.Errorf("it holds %d bytes, %v; want %d", size, err, pipeSize)
	}
}

func TestPipeThatIsNone(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link, dir, dir + "/nowhere"} {
		if read, _, err := openPipe(path); err == nil {
			_ = read.Close()
			t.Errorf("%s was opened as a pipe", path)
		}
	}
	removePipes([]string{file, link, dir})
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}
