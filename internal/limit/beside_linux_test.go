package limit

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

// TestBeside sets a process apart, on the kernel that is here.
func TestBeside(t *testing.T) {
	needController(t, memoryController)
	needController(t, cpusetController)
	cores, err := host.Cores()
	if err != nil {
		t.Fatal(err)
	}
	cpu := cores[0].CPUs[0]
	g, err := MakeBeside(journaltest.Open(t, Undoers()), "one-neighbour", cpu)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.CPUs(); !slices.Equal(got, []int{cpu}) || g.Facts() != nil {
		t.Errorf("its CPUs are %v, %+v", got, g.Facts())
	}
	p, err := launch.NewLocal().Start(launch.Command{Path: "/bin/sleep", Args: []string{"60"}, Groups: g.Directories()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID()), "status"))
	if err != nil || !strings.Contains(string(status), "Cpus_allowed_list:\t"+strconv.Itoa(cpu)+"\n") {
		t.Errorf("it may run on others than %d: %v\n%s", cpu, err, status)
	}
	for _, dir := range g.Directories() {
		if most, set := memoryLimit(dir); set && most < 1<<60 {
			t.Errorf("its memory has a limit: %v", unit.Size(most))
		}
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range g.Directories() {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there", dir)
		}
	}
}

// TestUnifiedBeside does it with control groups of version 2, and takes back what it
// enabled.
func TestUnifiedBeside(t *testing.T) {
	k := startKernel(t, "/", "memory", "cpuset")
	before := k.String()
	g := &Group{journal: journaltest.Open(t, Undoers())}
	if err := g.makeBeside(k.look(t), "x"); err != nil {
		t.Fatal(err)
	}
	if got := g.Directories(); len(got) != 1 || filepath.Dir(got[0]) != k.dir("") {
		t.Errorf("its groups are %v", got)
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := k.String(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestCheckBesideRefuses(t *testing.T) {
	if err := CheckBeside(5000); err == nil || hint.Of(err) == "" || !strings.Contains(err.Error(), "cannot create a control group for the background load: plinth is limited to") {
		t.Errorf("5000 CPUs: %v", err)
	}
	m := machine{}
	if _, err := m.parentsBeside(experiment.Limits{}); err == nil || hint.Of(err) == "" {
		t.Errorf("no control groups: %v", err)
	}
}
