package launch

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/hint"
)

// Joining without a control group: the writes, their user, and their time. internal/limit joins
// real groups.
func TestJoin(t *testing.T) {
	user := otherUser(t)
	a, b := t.TempDir(), t.TempDir() // the user may not enter them
	for _, dir := range []string{a, b} {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	p := start(t, Command{Path: "/usr/bin/id", Args: []string{"-u"}, Dir: "/", User: user, Groups: []string{a, b}, Stdout: &out})
	if status, err := p.Wait(); status.Code != 0 || err != nil {
		t.Fatal(status, err)
	}
	if out.String() != itoa(user.UID)+"\n" {
		t.Errorf("ran as %s, want %d", out.String(), user.UID)
	}
	for _, dir := range []string{a, b} {
		text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil || string(text) != strconv.Itoa(p.PID()) {
			t.Errorf("%s holds %q, want %d: %v", dir, text, p.PID(), err)
		}
	}
}

func TestJoinFailures(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "gone")
	_, err := NewLocal().Start(Command{Path: "/bin/true", Groups: []string{missing}})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "join the control group "+missing) {
		t.Errorf("a group that is gone: %v", err)
	}
	for name, tc := range map[string]struct {
		errno syscall.Errno
		op    string
		want  string
	}{
		"group":   {syscall.EACCES, joinGroup, "delegate the control group"},
		"program": {syscall.EACCES, "enter", "the user db"},
		"full":    {syscall.ENOSPC, joinGroup, ""},
	} {
		err := Command{User: &User{Name: "db"}}.explain((&failure{tc.op, "/x", tc.errno}).err())
		if got := hint.Of(err); !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%s: the hint is %q, want %q", name, got, tc.want)
		}
	}
}
