//go:build linux

package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/telemetry"
)

// fakeTree is a tree of made-up processes.
type fakeTree struct {
	t    testing.TB
	root string
	*reading
	source *processes
}

// newTree reads trees of owners, given the process ids of their roots, which may change.
func newTree(t testing.TB, root string, owners map[string]*int) *fakeTree {
	o := Options{Root: root, Owners: map[string]func() int{}}
	for name, pid := range owners {
		o.Owners[name] = func() int { return *pid }
	}
	opened, err := openProcesses(&machine{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*processes)
	s.most = 0 // an open file could still be read after the process is removed
	t.Cleanup(s.close)
	return &fakeTree{t, root, &reading{t, source{kind{name: "process"}, s}, telemetry.NewBoard("process"), time.Unix(1000, 0)}, s}
}

// is sets a process: its own ticks, and those of the children it has reaped.
func (f *fakeTree) is(pid, parent int, own, waited uint64) {
	f.t.Helper()
	f.started(pid, parent, own, waited, 7)
}

func (f *fakeTree) started(pid, parent int, own, waited, started uint64) {
	f.t.Helper()
	put(f.t, f.root, fmt.Sprintf("proc/%d/stat", pid),
		fmt.Sprintf("%d (a b) c) S %d 1 1 0 -1 4194560 0 0 0 0 %d 0 %d 0 20 0 1 0 %d 0\n", pid, parent, own, waited, started))
}

func (f *fakeTree) gone(pid int) {
	f.t.Helper()
	if err := os.RemoveAll(filepath.Join(f.root, "proc", fmt.Sprint(pid))); err != nil {
		f.t.Fatal(err)
	}
}

// cpu reads once more and returns the CPU seconds of an owner since the first reading.
func (f *fakeTree) cpu(name string) float64 {
	f.t.Helper()
	f.mustRead()
	for _, o := range f.source.owners {
		if o.name == name {
			return float64(o.total[useCPU]) / 1e9
		}
	}
	f.t.Fatalf("no owner %s", name)
	return 0
}

func (f *fakeTree) want(name string, seconds float64) {
	f.t.Helper()
	if got := f.cpu(name); got != seconds {
		f.t.Errorf("%s has used %v s, want %v s", name, got, seconds)
	}
}

func (f *fakeTree) total(name string, seconds float64) {
	f.t.Helper()
	for _, o := range f.source.owners {
		if o.name == name && float64(o.total[useCPU])/1e9 != seconds {
			f.t.Errorf("%s has used %v s, want %v s", name, float64(o.total[useCPU])/1e9, seconds)
		}
	}
}

func TestChildrenThatEnd(t *testing.T) {
	server := 10
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server})
	f.is(10, 1, 500, 300)
	f.is(11, 10, 1000, 0)
	f.is(99, 1, 7, 7) // belongs to no owner
	f.want("server", 0)

	f.is(11, 10, 1010, 0)
	f.is(12, 10, 20, 0) // a new one counts from its start
	f.want("server", 0.3)

	f.gone(11) // it used 5 more and was reaped, as was one that was never seen
	f.is(10, 1, 500, 300+1015+2)
	f.want("server", 0.37)

	f.gone(12) // it is gone, but its parent had not reaped it when it was read
	f.want("server", 0.37)
	f.is(10, 1, 500, 1317+20+3)
	f.want("server", 0.4)

	f.is(13, 10, 30, 0)
	f.want("server", 0.7)
	f.gone(13) // nothing reaps it (SIGCHLD is ignored): what it used is not lost
	f.want("server", 0.7)
	f.is(14, 10, 40, 0)
	f.want("server", 1.1)
	f.is(10, 1, 500, 1340+5) // and is not subtracted from later ones
	f.gone(14)
	f.is(10, 1, 500, 1345+40)
	f.want("server", 1.1+0.05)
}

// TestServerThatEndsBelowItsGuard checks a server below its guard, which is below plinth:
// when the server exits, its use must not be counted as plinth's.
func TestServerThatEndsBelowItsGuard(t *testing.T) {
	plinth, server := 10, 0
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server, "plinth": &plinth})
	f.is(10, 1, 100, 0)
	f.want("plinth", 0)

	f.is(11, 10, 1, 0) // the guard
	f.is(13, 12, 8, 0) // a child of the server precedes it in the list
	f.is(12, 11, 50, 0)
	server = 12
	f.want("server", 0.58)
	f.total("plinth", 0.01)

	f.gone(13)
	f.is(12, 11, 60, 8)
	f.want("server", 0.68)

	f.gone(12) // it used 4 more
	f.is(11, 10, 1, 64+8)
	f.want("server", 0.72)
	f.total("plinth", 0.01)

	f.gone(11)
	f.is(10, 1, 101, 72+1)
	f.want("server", 0.72)
	f.total("plinth", 0.02)
}

func TestServerAndGuardThatEndAtOnce(t *testing.T) {
	plinth, server := 10, 12
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server, "plinth": &plinth})
	f.is(10, 1, 100, 0)
	f.is(11, 10, 1, 0)
	f.is(12, 11, 50, 0)
	f.want("server", 0)
	f.gone(11)
	f.gone(12)
	f.is(10, 1, 103, 1+60)
	f.want("server", 0.1)
	f.total("plinth", 0.03)

	f.started(12, 1, 1000, 0, 8) // its id was reused
	f.want("server", 0.1)
	f.is(13, 12, 1000, 0)
	f.want("server", 0.1)
}

// TestServerThatIsKnownLater checks that a process started by plinth is plinth's until it
// is known to be a server.
func TestServerThatIsKnownLater(t *testing.T) {
	plinth, server := 10, 0
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server, "plinth": &plinth})
	f.is(10, 1, 100, 0)
	f.want("plinth", 0)
	f.is(11, 10, 50, 0)
	f.is(12, 11, 50, 0)
	f.want("plinth", 1)
	f.is(12, 11, 60, 0)
	server = 11
	f.want("server", 0.1)
	f.total("plinth", 1)
	columns, gaps := f.cut()
	expect(t, columns, "process.server.cpu", 0, 0.1)
	expect(t, columns, "process.server.processes", 0, 2)
	if why := reasonOf(gaps, "process.server.cpu", 1); why != "" {
		t.Errorf("the server is a gap because %q", why)
	}
}

// TestServerThatIsNeverFound checks that the CPU time of a server whose processes are not visible is not that
// of others.
func TestServerThatIsNeverFound(t *testing.T) {
	f := newTree(t, t.TempDir(), map[string]*int{"server": new(int)})
	f.source.apart = true
	f.mustRead()
	f.mustRead()
	if _, gaps := f.cut(); reasonOf(gaps, "process.others.cpu", 0) != "the server's processes are not visible from here" {
		t.Errorf("%+v", gaps)
	}
}

// TestServerThatIsFoundLater checks that the use of a server found after its start is
// unknown.
func TestServerThatIsFoundLater(t *testing.T) {
	server := 0
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server, "generator": new(int)})
	f.is(11, 1, 50, 0)
	f.mustRead()
	f.mustRead()
	server = 11
	f.mustRead()
	f.is(11, 1, 60, 0)
	f.mustRead()
	f.is(11, 1, 70, 0)
	f.mustRead()
	columns, gaps := f.cut()
	expect(t, columns, "process.server.cpu", 0, nan, nan, 0.1)
	if why := reasonOf(gaps, "process.server.cpu", 1); why != firstSight {
		t.Errorf("it is a gap because %q", why)
	}
	if why := reasonOf(gaps, "process.generator.cpu", 1); why != noOwner {
		t.Errorf("a generator that never was is a gap because %q", why)
	}
	if why := reasonOf(gaps, "process.others.cpu", 1); why == "" {
		t.Error("others are known without /proc/stat")
	}
}

// TestProcessWhoseIDIsUsedAgain checks a backend whose id is reused.
func TestProcessWhoseIDIsUsedAgain(t *testing.T) {
	server := 10
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server})
	f.is(10, 1, 0, 0)
	f.is(11, 10, 50, 0)
	f.want("server", 0)
	f.started(11, 1, 900, 0, 9)
	f.is(10, 1, 0, 50)
	f.want("server", 0)
	f.started(11, 1, 990, 0, 9)
	f.want("server", 0)
}

// TestCircleOfParents checks that a cycle of parents, which reused ids may cause, does not
// hang.
func TestCircleOfParents(t *testing.T) {
	server := 10
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server})
	f.is(10, 1, 0, 0)
	f.is(11, 10, 0, 0)
	f.is(12, 11, 0, 0)
	f.mustRead()
	f.is(11, 12, 0, 0)
	f.is(13, 12, 1, 0)
	server = 13
	f.mustRead()
	f.gone(13)
	f.gone(11)
	f.gone(12)
	f.want("server", 0.01)
}
