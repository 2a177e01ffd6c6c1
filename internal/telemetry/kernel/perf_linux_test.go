package kernel

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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
	set, err := perf.Open([]int{0}, []perf.Event{perf.Cycles})
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
	r := softwareReadings(t, Options{Root: "/"})
	r.mustRead()
	const pages = 1000
	touch(t, pages)
	r.mustRead()
	columns, gaps := r.cut()
	if columns["perf.cpu-clock"][0] <= 0 || columns["perf.page-faults"][0] < pages {
		t.Errorf("columns: %v", columns)
	}
	expect(t, columns, "perf.measured.cpu-clock", 1)
	missing := r.source.(source).reader.(*events).set.Missing(perf.NodeLoads)
	for _, column := range []string{"perf.node-loads", "perf.measured.node-loads"} {
		if why := reasonOf(gaps, column, 0); missing != nil && why != missing.Reason() || missing == nil && why != "" {
			t.Errorf("%s is a gap because %q; it is missing because %v", column, why, missing)
		}
	}
}

// touch causes page faults.
func touch(t *testing.T, pages int) {
	t.Helper()
	memory, err := unix.Mmap(-1, 0, pages*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Madvise(memory, unix.MADV_NOHUGEPAGE) // one fault a page
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 1
	}
	if err := unix.Munmap(memory); err != nil {
		t.Fatal(err)
	}
}

// TestEventsOfNodes checks that events that distinguish nodes are not opened on a machine with one.
func TestEventsOfNodes(t *testing.T) {
	r := softwareReadings(t, Options{Root: "/"})
	e := r.source.(source).reader.(*events)
	for _, one := range []bool{true, false} {
		e.close()
		e.columns, e.oneNode, e.groups = nil, one, [][]perfEvent{{rateOf(perf.CPUClock, "", true)}, {ofNodes(perf.PageFaults, "")}}
		if err := e.open(); err != nil {
			t.Fatal(err)
		}
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
		"the first reading":   {perf.Count{}, first, false},
		"counts nothing":      {first, perf.Count{Enabled: 2, Running: 2}, true},
		"counts":              {first, perf.Count{Total: 5, Enabled: 2, Running: 2}, false},
		"counts nothing more": {perf.Count{Total: 5, Enabled: 1, Running: 1}, perf.Count{Total: 5, Enabled: 2, Running: 1.5}, true},
		"does not run":        {first, perf.Count{Enabled: 2, Running: 1}, false},
		"no time passed":      {first, first, false},
	} {
		if got := standsStill(test.last, test.now); got != test.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}
