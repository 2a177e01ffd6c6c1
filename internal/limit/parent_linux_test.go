package limit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

func (k *kernel) look(t *testing.T) machine {
	t.Helper()
	m, err := look(k.root)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A machine with systemd: plinth in a session's scope, whose slice gives memory only.
func TestUnifiedSession(t *testing.T) {
	k := startKernel(t, "/user.slice/user-0.slice/session-1.scope", "cpuset", "cpu", "io", "memory")
	k.write(t, "", "cgroup.procs", "2") // kernel threads
	k.group(t, "user.slice/user-0.slice/session-1.scope", "100 101")
	k.write(t, "", "cgroup.subtree_control", "+memory +io")
	k.write(t, "user.slice", "cgroup.subtree_control", "+memory")
	before := k.String()
	g, err := k.look(t).makeGroup(journaltest.Open(t, Undoers()), "here", everything, Where{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Directories()) != 1 {
		t.Fatalf("it is in %v", g.Directories())
	}
	name, err := filepath.Rel(k.dir(""), g.Directories()[0])
	if err != nil || !strings.HasPrefix(name, "user.slice/user-0.slice/plinth-here-") {
		t.Errorf("it is in %s, %v", name, err)
	}
	for file, want := range map[string]string{
		"cpuset.cpus": g.Facts().CPUs, "cpu.max": "50000 100000", "memory.max": "1073741824", "memory.swap.max": "0",
	} {
		if got := k.read(t, name, file); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
	if f := g.Facts(); f.Cgroup != "v2" || f.Memory != 1<<30 || f.CPUQuota != 0.5 || len(g.Notes()) != 0 {
		t.Errorf("facts %+v, notes %+v", f, g.Notes())
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if k.String() != before {
		t.Errorf("after it was removed:\n%v\nbefore:\n%s", k, before)
	}
}

// Two environments share what the first one enabled; whoever goes last takes it back.
func TestUnifiedTwoGroups(t *testing.T) {
	for _, firstGoesFirst := range []bool{true, false} {
		k := startKernel(t, "/a/b", "cpu", "memory")
		k.group(t, "a/b", "100")
		before := k.String()
		j := journaltest.Open(t, Undoers())
		m := k.look(t)
		var groups []*Group
		for _, name := range []string{"one", "two"} {
			g, err := m.makeGroup(j, name, experiment.Limits{Memory: 1 * unit.GiB}, Where{})
			if err != nil {
				t.Fatal(err)
			}
			groups = append(groups, g)
		}
		if !firstGoesFirst {
			groups[0], groups[1] = groups[1], groups[0]
		}
		if err := groups[0].Remove(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := readWord(groups[1].Directories()[0], "memory.max"); err != nil {
			t.Errorf("first %v: the other lost its limit: %v", firstGoesFirst, err)
		}
		err := errors.Join(groups[1].Remove(t.Context()), j.PutBack(t.Context(), Undoers()))
		if err != nil || k.String() != before {
			t.Errorf("first %v: %v; after both were removed:\n%v\nbefore:\n%s", firstGoesFirst, err, k, before)
		}
	}
}

// Somebody else has set a limit that needs what plinth enabled: it stays, and that
// is said.
func TestUnifiedOthersUseIt(t *testing.T) {
	k := startKernel(t, "/plinth", "memory")
	k.group(t, "plinth", "100")
	k.group(t, "others", "200")
	j := journaltest.Open(t, Undoers())
	g, err := k.look(t).makeGroup(j, "x", experiment.Limits{Memory: 1 * unit.GiB}, Where{})
	if err != nil {
		t.Fatal(err)
	}
	k.write(t, "others", "memory.max", "4096")
	if err := g.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	err = j.PutBack(t.Context(), Undoers())
	if !errors.Is(err, errInUse) || !strings.Contains(err.Error(), "others") || hint.Of(err) == "" {
		t.Errorf("putting it back says %v (hint %q)", err, hint.Of(err))
	}
	if k.read(t, "others", "memory.max") != "4096" {
		t.Error("the others lost their limit")
	}
	k.write(t, "others", "memory.max", "max")
	if err := j.PutBack(t.Context(), Undoers()); err != nil || k.read(t, "", "cgroup.subtree_control") != "" {
		t.Errorf("%v; still given: %v", err, k)
	}
}

func TestUnifiedTopmost(t *testing.T) {
	k := startKernel(t, "/", "cpu")
	k.write(t, "", "cgroup.procs", "1 2 100")
	g, err := k.look(t).makeGroup(journaltest.Open(t, Undoers()), "x", experiment.Limits{CPUQuota: 1}, Where{})
	if err != nil || filepath.Dir(g.Directories()[0]) != k.dir("") {
		t.Fatal(g, err)
	}
	if err := g.Remove(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestUnifiedRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		limits  experiment.Limits
		prepare func(k *kernel)
		text    string
	}{
		"no such controller": {experiment.Limits{Memory: 1 * unit.GiB}, func(*kernel) {}, `no controller "memory"`},
		"a container whose top has processes": {experiment.Limits{CPUQuota: 1}, func(k *kernel) {
			k.write(t, "", "cgroup.procs", "1 100")
		}, "has processes"},
		"processes in all groups above": {experiment.Limits{CPUQuota: 1}, func(k *kernel) {
			k.write(t, "", "cgroup.procs", "1")
			k.write(t, "a", "cgroup.procs", "7")
		}, "has processes"},
		"a threaded group": {experiment.Limits{CPUQuota: 1}, func(k *kernel) {
			k.write(t, "", "cgroup.type", "domain threaded")
			k.write(t, "a", "cgroup.type", "threaded")
		}, `is "threaded"`},
	} {
		k := startKernel(t, "/a/b", "cpu")
		k.group(t, "a/b", "100")
		k.contain()
		tc.prepare(k)
		before := k.String()
		j := journaltest.Open(t, Undoers())
		_, err := k.look(t).makeGroup(j, "x", tc.limits, Where{})
		if err == nil || !strings.Contains(err.Error(), tc.text) || hint.Of(err) == "" {
			t.Errorf("%s: %v (hint %q), want %q", name, err, hint.Of(err), tc.text)
		}
		if k.String() != before || len(j.Entries()) != 0 {
			t.Errorf("%s: something was left:\n%v\n%v", name, k, j.Entries())
		}
	}
}

// The kernel refuses in the middle: what was made is removed.
func TestUnifiedHalfWay(t *testing.T) {
	k := startKernel(t, "/a/b", "cpu", "cpuset", "memory")
	k.group(t, "a/b", "100")
	before := k.String()
	saved := files["cpuset"]
	t.Cleanup(func() { files["cpuset"] = saved })
	files["cpuset"] = map[string]string{"cpuset.cpus": "", "cpuset.cpus.effective": "7"}
	j := journaltest.Open(t, Undoers())
	_, err := k.look(t).makeGroup(j, "x", everything, Where{})
	if err == nil || !strings.Contains(err.Error(), "cpuset.cpus.effective is 7") {
		t.Errorf("a CPU that the group above does not have: %v", err)
	}
	if k.String() != before || len(j.Entries()) != 0 {
		t.Errorf("something was left:\n%v\n%v", k, j.Entries())
	}
}

// The real thing as far as this machine has it: a controller of version 2 that a
// hybrid machine leaves there.
func TestUnifiedHere(t *testing.T) {
	hosttest.NeedRoot(t)
	m, err := look("/")
	if err != nil {
		t.Fatal(err)
	}
	p, found := m.places["hugetlb"]
	if !found || p.version != 2 {
		t.Skip("no controller is in the tree of version 2 for a test")
	}
	at, err := p.unifiedParent([]string{"hugetlb"})
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(at.dir + "/cgroup.subtree_control")
	if err != nil {
		t.Fatal(err)
	}
	g := &Group{journal: journaltest.Open(t, Undoers())}
	if err := g.add(at, directoryName("real"), experiment.Limits{}, target{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(g.Directories()[0] + "/hugetlb.2MB.max"); err != nil {
		t.Errorf("the group has no controller: %v", err)
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(at.dir + "/cgroup.subtree_control"); err != nil || string(after) != string(before) {
		t.Errorf("given are %q, were %q (%v)", after, before, err)
	}
}
