package limit

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

func makeHere(t *testing.T, j *journal.Journal, l experiment.Limits, cpus ...int) *Group {
	t.Helper()
	g, err := Make(j, "one disk/two", l, Where{CPUs: cpus})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Remove(context.Background()); err != nil { // t.Context() is over
			t.Error(err)
		}
		for _, dir := range g.Directories() {
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("%s is left: %v", dir, err)
			}
		}
	})
	return g
}

func TestOneCPU(t *testing.T) {
	m := needController(t, cpusetController)
	j := journaltest.Open(t, Undoers())
	g := makeHere(t, j, experiment.Limits{CPUs: 1})
	said, status := run(t, g, "affinity")
	if said != g.Facts().CPUs || status.Code != 0 {
		t.Errorf("it runs on %q (%+v), want %q", said, status, g.Facts().CPUs)
	}
	if n := len(allOf(m.cores)); len(g.Rest()) != n-1 || g.Facts().Shared != (n == 1) {
		t.Errorf("of %d CPUs %v are left; shared: %v", n, g.Rest(), g.Facts().Shared)
	}
	rest := g.Rest()
	if len(rest) == 0 {
		t.Skip("needs two CPUs")
	}
	others := makeHere(t, j, experiment.Limits{}, rest...)
	if said, _ := run(t, others, "affinity"); said != strings.ReplaceAll(listed(rest), ",", "\n") {
		t.Errorf("the rest runs on %q, want %v", said, rest)
	}
}

func TestAllCPUs(t *testing.T) {
	m := needController(t, cpusetController)
	n := len(allOf(m.cores))
	g := makeHere(t, journaltest.Open(t, Undoers()), experiment.Limits{CPUs: n})
	if !g.Facts().Shared || len(g.Rest()) != 0 || len(g.Notes()) != 1 {
		t.Errorf("with all CPUs: %+v, rest %v, notes %+v", g.Facts(), g.Rest(), g.Notes())
	}
}

// TestQuota gives a busy program the least that there is: it uses that up on a busy
// machine, too.
func TestQuota(t *testing.T) {
	m := needController(t, cpuController)
	g := makeHere(t, journaltest.Open(t, Undoers()), experiment.Limits{CPUQuota: leastQuota})
	p, err := launch.NewLocal().Start(launch.Command{Path: "/bin/sh", Args: []string{"-c", "while :; do :; done"}, Groups: g.Directories()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	hosttest.WaitFor(t, "two periods in which it was throttled", func() bool {
		text, err := readWord(g.Directories()[0], "cpu.stat")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text) {
			if n, found := strings.CutPrefix(line, "nr_throttled "); found {
				periods, _ := strconv.Atoi(strings.TrimSpace(n))
				return periods >= 2
			}
		}
		return false
	})
	if f := g.Facts(); f.CPUQuota != leastQuota || f.CPUs != "" || f.Cgroup != "v"+strconv.Itoa(m.places[cpuController].version) {
		t.Errorf("facts are %+v", f)
	}
}

func TestMemory(t *testing.T) {
	needController(t, memoryController)
	g := makeHere(t, journaltest.Open(t, Undoers()), experiment.Limits{Memory: 64*unit.MiB + 100})
	if said, status := run(t, g, "eat"); status.Signal != unix.SIGKILL {
		t.Errorf("256 MiB in 64 MiB ended with %+v: %q", status, said)
	}
	if got := g.Facts().Memory; got != int64(64*unit.MiB) {
		t.Errorf("the limit is %d, want whole pages", got)
	}
	roomy := makeHere(t, journaltest.Open(t, Undoers()), experiment.Limits{Memory: 1 * unit.GiB})
	if said, status := run(t, roomy, "eat"); said != "ate 256" {
		t.Errorf("256 MiB in 1 GiB: %+v, %q", status, said)
	}
}

// TestServerUser runs a program of another user in all groups at once: it is in them
// and may not leave.
func TestServerUser(t *testing.T) {
	needController(t, cpusetController, cpuController, memoryController)
	user, err := launch.ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	g := makeHere(t, journaltest.Open(t, Undoers()), experiment.Limits{CPUs: 1, CPUQuota: 0.5, Memory: 1 * unit.GiB})
	var out strings.Builder
	p, err := launch.NewLocal().Start(launch.Command{Path: "/bin/cat", Args: []string{"/proc/self/cgroup"},
		Dir: "/", User: user, Groups: g.Directories(), Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(); status.Code != 0 || err != nil {
		t.Fatal(status, err)
	}
	if n := strings.Count(out.String(), "/plinth-one_disk_two-"); n != len(g.Directories()) {
		t.Errorf("it is in %d groups of %v:\n%s", n, g.Directories(), out.String())
	}
	if ok, _ := user.CanEnter(g.Directories()[0]); !ok {
		t.Error("the server can't look at its own limits")
	}
}

func TestWithoutLimits(t *testing.T) {
	g, err := Make(nil, "x", experiment.Limits{}, Where{})
	if err != nil || g.Facts() != nil || g.Directories() != nil || g.Remove(t.Context()) != nil {
		t.Errorf("no limits: %+v, %v", g, err)
	}
}

// listed is CPUs one by one.
func listed(cpus []int) string {
	var all []string
	for _, cpu := range cpus {
		all = append(all, strconv.Itoa(cpu))
	}
	return strings.Join(all, ",")
}

// A server may be bound to memory nodes; without CPUs of its own it has all of them.
func TestNodes(t *testing.T) {
	m := needController(t, cpusetController)
	j := journaltest.Open(t, Undoers())
	g, err := Make(j, "bound", experiment.Limits{}, Where{Nodes: "0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if said, status := run(t, g, "affinity"); said != strings.ReplaceAll(listed(allOf(m.cores)), ",", "\n") || status.Code != 0 {
		t.Errorf("it runs on %q (%+v)", said, status)
	}
	nodes, err := readWord(g.Directories()[0], "cpuset.mems")
	if err != nil || nodes != "0" {
		t.Errorf("its memory nodes are %q, %v", nodes, err)
	}
	if _, err := Make(j, "nowhere", experiment.Limits{}, Where{Nodes: "63"}); err == nil {
		t.Error("a node that is not there was accepted")
	}
}
