package limit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal/journaltest"
)

// TestIdle makes a group that counts for nothing, on the kernel that is here.
func TestIdle(t *testing.T) {
	hosttest.NeedRoot(t)
	needController(t, cpuController)
	g, err := MakeIdle(journaltest.Open(t, Undoers()), "awake")
	if err != nil {
		t.Fatal(err)
	}
	dir := g.Directories()[0]
	if idle, err := readWord(dir, "cpu.idle"); err != nil || idle != "1" {
		t.Errorf("cpu.idle is %q, %v", idle, err)
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there", dir)
	}
}

// TestUnifiedIdle does it with control groups of version 2: at the top, where CPUs are
// shared out, and nowhere else.
func TestUnifiedIdle(t *testing.T) {
	k := startKernel(t, "/user.slice/user-0.slice/session-1.scope", "cpu", "memory")
	k.group(t, "user.slice/user-0.slice/session-1.scope", "100 101")
	g := &Group{journal: journaltest.Open(t, Undoers())}
	before := k.String()
	if err := g.makeIdle(k.look(t), "awake"); err == nil || hint.Of(err) == "" || !strings.Contains(err.Error(), "do not distribute CPU time") {
		t.Errorf("without the controller: %v", err)
	}
	if after := k.String(); after != before {
		t.Errorf("refused, it left\n%s\nof\n%s", after, before)
	}
	k.write(t, "", "cgroup.subtree_control", "+cpu")
	before = k.String()
	if err := g.makeIdle(k.look(t), "awake"); err != nil {
		t.Fatal(err)
	}
	if got := g.Directories(); len(got) != 1 || filepath.Dir(got[0]) != k.dir("") {
		t.Errorf("it is in %v", got)
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := k.String(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestIdleUnderQuota: in a container with a CPU quota, what only keeps CPUs awake would
// take the time that the server has.
func TestIdleUnderQuota(t *testing.T) {
	for version, files := range map[int]map[string]string{
		1: {"cpu.cfs_quota_us": "200000\n", "cpu.cfs_period_us": "100000\n", "cgroup.procs": ""},
		2: {"cpu.max": "200000 100000\n", "cgroup.subtree_control": "cpu\n", "cgroup.procs": ""},
	} {
		root := tree(t, files)
		g := &Group{journal: journaltest.Open(t, Undoers())}
		err := g.makeIdle(machine{places: map[string]place{cpuController: {version, root, root}}}, "awake")
		if err == nil || hint.Of(err) == "" || !strings.Contains(err.Error(), "a quota of 2 CPUs") || len(g.Directories()) > 0 {
			t.Errorf("version %d: %v, in %v", version, err, g.Directories())
		}
	}
}
