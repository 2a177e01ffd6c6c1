package kernel

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/perf"
	"plinth/internal/host/watch"
	"plinth/internal/telemetry"
)

// softwareEvents take the place of the processor's, which are not on every machine. One of those is
// among them.
var softwareEvents = [][]perfEvent{
	{rateOf(perf.CPUClock, "", true), rateOf(perf.PageFaults, "", false)},
	{rateOf(perf.NodeLoads, "", false)},
}

// softwareReadings returns a source of software events that is read by hand.
func softwareReadings(t *testing.T, o Options) *reading {
	t.Helper()
	hosttest.NeedRoot(t)
	if _, err := os.Stat("/proc/sys/kernel/perf_event_paranoid"); err != nil { // perf_event_open(2), Notes
		t.Skip("the kernel has no performance events")
	}
	opened, err := openEventsOf(&machine{Options: o}, softwareEvents)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.close)
	return &reading{t, source{kind{name: "perf"}, opened}, telemetry.NewBoard("perf"), time.Unix(1000, 0)}
}

// TestProcessorIsCountedOrMissing checks that this machine has columns of the processor's events, or
// one gap with its reason.
func TestProcessorIsCountedOrMissing(t *testing.T) {
	set, err := perf.Open(perf.Target{CPUs: []int{0}}, []perf.Event{perf.Cycles})
	if err == nil {
		defer set.Close()
	}
	lane := Lane(Options{Root: "/"})
	counts, why := false, ""
	for _, source := range lane.Sources {
		counts = counts || source.Name() == "perf"
		source.Close()
	}
	for _, missing := range lane.Missing {
		if missing.Name == "perf" {
			why += missing.Why
		}
	}
	if counts != (err == nil) || counts == (why != "") || err != nil && why != err.Error() {
		t.Errorf("counted: %v, missing because %q; opening one says %v", counts, why, err)
	}
	if !strings.HasPrefix(why, "cannot count events of the processor: ") && !counts {
		t.Errorf("missing because %q", why)
	}
}

// TestEventsOfTheMachine reads software events of all processes.
func TestEventsOfTheMachine(t *testing.T) {
	w := startWorker(t)
	r := softwareReadings(t, Options{Root: "/", Owners: map[string]func() int{"server": func() int { return w.Process.Pid }}})
	r.mustRead()
	w.do("burn 50ms")
	r.mustRead()
	columns, gaps := r.cut()
	if columns["perf.cpu-clock"][0] < 50e6 || columns["perf.page-faults"][0] <= 0 {
		t.Errorf("columns: %v", columns)
	}
	expect(t, columns, "perf.measured.cpu-clock", 1)
	expect(t, columns, "perf.of_server", 0) // the server is in plinth's group
	missing := r.source.(source).reader.(*events).set.Missing(perf.NodeLoads)
	for _, column := range []string{"perf.node-loads", "perf.measured.node-loads"} {
		if why := reasonOf(gaps, column, 0); missing != nil && why != missing.Reason() || missing == nil && why != "" {
			t.Errorf("%s is a gap because %q; it is missing because %v", column, why, missing)
		}
	}
}

// TestEventsOfAServer follows a server into a control group of its own.
func TestEventsOfAServer(t *testing.T) {
	other, w, server := startWorker(t), startWorker(t), 0
	r := softwareReadings(t, Options{Root: "/", Owners: map[string]func() int{"server": func() int { return server }}})
	moveToNewGroup(t, w.Process.Pid)
	for range 2 {
		r.mustRead()
	}
	server = w.Process.Pid
	r.mustRead()
	other.do("burn 50ms")
	r.mustRead()
	w.do("burn 50ms")
	r.mustRead()
	columns, gaps := r.cut()
	expect(t, columns, "perf.of_server", 0, 1, 1, 1)
	clock := columns["perf.cpu-clock"]
	if why := reasonOf(gaps, "perf.cpu-clock", 1); why != otherGroup {
		t.Errorf("in the second in which the group changed: %v, because %q", clock, why)
	}
	if idle, busy := clock[2], clock[3]; idle != 0 || busy < 50e6 {
		t.Errorf("another process and the server used 50 ms each, and %v and %v ns were counted", idle, busy)
	}
}

// moveToNewGroup puts a process into a control group of version 2 for the rest of the test.
func moveToNewGroup(t *testing.T, pid int) {
	t.Helper()
	tree, err := readGroupTree("/")
	if err != nil {
		t.Fatal(err)
	}
	top := filepath.Join("/", tree.top("unified"))
	home, known := lineOf(tree.own, "")
	at, seen := tree.below("", home.Path)
	if _, err := os.Stat(filepath.Join(top, "cgroup.procs")); err != nil || !known || !seen {
		t.Skip("no control group hierarchy of version 2 is mounted")
	}
	dir, err := os.MkdirTemp(top, "plinth-test-perf-")
	if err != nil {
		t.Fatal(err)
	}
	move := func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			t.Fatal(err)
		}
	}
	move(dir)
	t.Cleanup(func() {
		move(filepath.Join(top, at))
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
}

// TestEventsOfNodes checks that events that distinguish nodes are not opened on a machine with one.
func TestEventsOfNodes(t *testing.T) {
	r := softwareReadings(t, Options{Root: "/"})
	e := r.source.(source).reader.(*events)
	for _, one := range []bool{true, false} {
		e.close()
		e.oneNode, e.groups = one, [][]perfEvent{{rateOf(perf.CPUClock, "", true)}, {ofNodes(perf.PageFaults, "")}}
		e.open()
		r.mustRead()
		if why := e.whyNot(e.groups[1][0]); (why == whyOneNode) != one || (len(e.columns) == 1) != one {
			t.Errorf("one node: %v; %d columns, %q", one, len(e.columns), why)
		}
	}
}

// TestEventsWhileCPUsAreKeptAwake checks that what plinth's own threads cause all the time is a gap.
func TestEventsWhileCPUsAreKeptAwake(t *testing.T) {
	r := softwareReadings(t, Options{Root: "/", Idle: []watch.IdleThread{{Process: os.Getpid(), Thread: os.Getpid()}}})
	r.mustRead()
	r.mustRead()
	columns, gaps := r.cut()
	expect(t, columns, "perf.cpu-clock", nan)
	expect(t, columns, "perf.measured.cpu-clock", 1)
	if why := reasonOf(gaps, "perf.cpu-clock", 0); why != whyAwake {
		t.Errorf("it is a gap because %q", why)
	}
	if why := reasonOf(gaps, "perf.page-faults", 0); why != "" {
		t.Errorf("page faults are a gap because %q", why)
	}
}

func TestEventsLeaveNoGarbage(t *testing.T) {
	r := softwareReadings(t, Options{Root: "/"})
	r.board.Begin(time.Time{})
	if n := testing.AllocsPerRun(20, func() {
		if err := r.source.Read(context.Background(), r.board); err != nil {
			t.Fatal(err)
		}
	}); n >= 1 {
		t.Errorf("%.0f allocations a reading", n)
	}
}

// TestEventsOfACapturedMachine are those of no running machine.
func TestEventsOfACapturedMachine(t *testing.T) {
	if _, err := openEvents(&machine{Options: Options{Root: t.TempDir()}}); !errors.Is(err, errOtherMachine) {
		t.Error(err)
	}
}

// TestCounterThatStandsStill distinguishes a counter that counts nothing from one that is not running.
func TestCounterThatStandsStill(t *testing.T) {
	first := perf.Count{Enabled: 1, Running: 1}
	for what, test := range map[string]struct {
		last, now perf.Count
		want      bool
	}{
		"the first reading":     {perf.Count{}, first, false},
		"counts nothing":        {first, perf.Count{Enabled: 2, Running: 2}, true},
		"counts":                {first, perf.Count{Total: 5, Enabled: 2, Running: 2}, false},
		"counts nothing more":   {perf.Count{Total: 5, Enabled: 1, Running: 1}, perf.Count{Total: 5, Enabled: 2, Running: 1.5}, true},
		"does not run":          {first, perf.Count{Enabled: 2, Running: 1}, false},
		"the group did nothing": {first, first, false},
	} {
		if got := standsStill(test.last, test.now); got != test.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

func TestServerAlone(t *testing.T) {
	for what, test := range map[string]struct {
		own, server, mounted string
		dirs                 []string
		want                 string
	}{
		"a service":                   {"0::/user.slice/a\n", "0::/system.slice/postgresql.service\n", "", []string{"system.slice/postgresql.service"}, "system.slice/postgresql.service"},
		"plinth's limits":             {"0::/plinth\n", "0::/plinth-large-1\n", "", []string{"plinth-large-1"}, "plinth-large-1"},
		"below plinth's group":        {"0::/a\n", "0::/a/b\n", "", []string{"a/b"}, "a/b"},
		"plinth's group":              {"0::/a\n", "0::/a\n", "", []string{"a"}, ""},
		"above plinth's group":        {"0::/a/b\n", "0::/a\n", "", []string{"a"}, ""},
		"a name that begins the same": {"0::/ab\n", "0::/a\n", "", []string{"a"}, "a"},
		"the root group":              {"0::/a\n", "0::/\n", "", nil, ""},
		"not known":                   {"0::/a\n", "", "", nil, ""},
		"removed":                     {"0::/a\n", "0::/b\n", "", nil, ""},
		"in another container":        {"0::/\n", "0::/../b\n", "", []string{"b"}, ""},
		"version 1":                   {"3:perf_event:/a\n0::/x\n", "3:perf_event:/b\n0::/y\n", "", []string{"perf_event/b", "y"}, "perf_event/b"},
		"version 1, other controller": {"3:cpu:/\n0::/\n", "3:cpu:/b\n0::/\n", "", []string{"cpu/b", "unified"}, ""},
		"hybrid":                      {"3:cpu:/\n0::/\n", "3:cpu:/b\n0::/c\n", "", []string{"cpu/b", "unified/c"}, "unified/c"},
		"mounted in part":             {"0::/docker/1/a\n", "0::/docker/1/b\n", "/docker/1", []string{"b"}, "b"},
		"no groups":                   {"", "0::/b\n", "", []string{"b"}, ""},
	} {
		root := t.TempDir()
		for _, dir := range test.dirs {
			if err := os.MkdirAll(filepath.Join(root, "sys/fs/cgroup", dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		tree := groupTree{root: root, own: test.own, server: test.server, mounted: map[string]string{"": test.mounted}}
		dir, alone := tree.serverAlone("perf_event")
		want := filepath.Join(root, "sys/fs/cgroup", test.want)
		if alone != (test.want != "") || alone && dir != want {
			t.Errorf("%s: %s, %v, want %q", what, dir, alone, test.want)
		}
	}
}
