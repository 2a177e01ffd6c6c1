package perf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// fake is a kernel with made-up counters.
type fake struct {
	fails   map[string]error // opening "EVENT", "EVENT on CPU" or "EVENT in group"
	readErr error
	started []string
	next    int
	opened  map[int]string // events that are open, by handle
	leaders map[int][]int  // the handles of a group, by its leader
	times   map[string]Times
	values  map[string]uint64
}

func newFake() *fake {
	return &fake{fails: map[string]error{}, opened: map[int]string{}, leaders: map[int][]int{}, times: map[string]Times{}, values: map[string]uint64{}}
}

func (f *fake) open(e Event, cpu, leader int) (int, error) {
	name := fmt.Sprintf("%s on %d", e.Name, cpu)
	for _, key := range []string{e.Name, name, e.Name + " in group"} {
		if err := f.fails[key]; err != nil && (leader >= 0 || !strings.HasSuffix(key, "group")) {
			return 0, err
		}
	}
	f.next++
	f.opened[f.next] = name
	if leader < 0 {
		leader = f.next
	}
	f.leaders[leader] = append(f.leaders[leader], f.next)
	return f.next, nil
}

func (f *fake) start(leader int) error {
	f.started = append(f.started, f.opened[leader])
	return f.fails["start"]
}

func (f *fake) read(leader int, buffer []byte) (int, error) {
	if f.readErr != nil {
		return 0, f.readErr
	}
	var values []uint64
	for _, handle := range f.leaders[leader] {
		values = append(values, f.values[f.opened[handle]])
	}
	return copy(buffer, encode(uint64(len(values)), f.times[f.opened[leader]], values...)), nil
}

func (f *fake) close(handle int) { delete(f.opened, handle) }

// adds counts an event on a CPU.
func (f *fake) adds(name string, value uint64, times Times) {
	f.values[name] += value
	f.times[name] = Times{f.times[name].Enabled + times.Enabled, f.times[name].Running + times.Running}
}

var twoGroups = [][]Event{{Cycles, Instructions}, {NodeLoads, NodeLoadMisses}}

func mustOpen(t *testing.T, f *fake) *Set {
	t.Helper()
	s, err := openSet(f, []int{0, 1}, twoGroups)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustRead(t *testing.T, s *Set) {
	t.Helper()
	if err := s.Read(); err != nil {
		t.Fatal(err)
	}
}

func TestCountsAreSums(t *testing.T) {
	f := newFake()
	s := mustOpen(t, f)
	if want := []string{"cycles on 0", "node-loads on 0", "cycles on 1", "node-loads on 1"}; !slices.Equal(f.started, want) {
		t.Errorf("started %v, want %v", f.started, want)
	}
	f.adds("cycles on 0", 1e6, Times{7, 7}) // before the first reading
	mustRead(t, s)
	if c := s.Count(Cycles); c.Total != 0 || c.Unknown != "" {
		t.Errorf("at first: %+v", c)
	}
	f.adds("cycles on 0", 100, Times{1e9, 1e9})
	f.adds("cycles on 1", 30, Times{1e9, 5e8})
	f.adds("instructions on 1", 7, Times{})
	mustRead(t, s)
	if c := s.Count(Cycles); c.Total != 160 || c.Enabled != 2.000000007 || c.Running != 1.500000007 || c.Unknown != "" {
		t.Errorf("cycles: %+v", c)
	}
	if c := s.Count(Instructions); c.Total != 14 { // extrapolated as its group is
		t.Errorf("instructions: %+v", c)
	}
	s.Close()
	if len(f.opened) > 0 {
		t.Errorf("still open: %v", f.opened)
	}
}

// TestEventThatWaits checks that a total is unknown while an event is not counted on a CPU for long,
// and complete afterwards.
func TestEventThatWaits(t *testing.T) {
	f := newFake()
	s := mustOpen(t, f)
	mustRead(t, s)
	f.adds("node-loads on 0", 100, Times{1e9, 1e9})
	f.adds("node-loads on 1", 0, Times{5e7, 0}) // 5 % of the time: the total is usable
	mustRead(t, s)
	if c := s.Count(NodeLoads); c.Total != 100 || c.Unknown != "" {
		t.Errorf("%+v", c)
	}
	f.adds("node-loads on 0", 100, Times{1e9, 1e9})
	f.adds("node-loads on 1", 0, Times{9.5e8, 0})
	mustRead(t, s)
	if c := s.Count(NodeLoads); c.Unknown != waited {
		t.Errorf("%+v", c)
	}
	f.adds("node-loads on 0", 100, Times{1e9, 1e9})
	f.adds("node-loads on 1", 10, Times{1e9, 1e9})
	mustRead(t, s)
	if c := s.Count(NodeLoads); c.Total != 320 || c.Unknown != "" {
		t.Errorf("%+v", c)
	}
	f.values["node-loads on 1"]--
	mustRead(t, s)
	if c := s.Count(NodeLoads); c.Unknown != wentBack {
		t.Errorf("%+v", c)
	}
	mustRead(t, s)
	if c := s.Count(NodeLoads); c.Total != 320 || c.Unknown != "" {
		t.Errorf("%+v", c)
	}
}

// TestNothingCanBeCounted checks the reasons, and that nothing stays open.
func TestNothingCanBeCounted(t *testing.T) {
	for number, want := range map[syscall.Errno]string{
		syscall.ENOENT:     noCounter + " (no such file or directory)",
		syscall.EOPNOTSUPP: noCounter + " (operation not supported)",
		syscall.ENODEV:     noCounter + " (no such device)",
		syscall.EINVAL:     noCounter + " (invalid argument)",
		syscall.EACCES:     noRight,
		syscall.EPERM:      forbidden,
		syscall.ENOSYS:     notBuilt,
		syscall.EBUSY:      exclusive,
		syscall.EMFILE:     "perf_event_open on CPU 0: too many open files",
	} {
		f := newFake()
		for _, e := range slices.Concat(twoGroups...) {
			f.fails[e.Name] = number
		}
		_, err := openSet(f, []int{0, 1}, twoGroups)
		if err == nil || err.Error() != "cannot count events of the processor: "+want || !errors.Is(err, number) {
			t.Errorf("%v: %v", number, err)
		}
		if f.next > 0 {
			t.Errorf("%v: %d events were opened", number, f.next)
		}
	}
}

func TestNothingToCount(t *testing.T) {
	for what, open := range map[string]func() (*Set, error){
		"no CPU":       func() (*Set, error) { return openSet(newFake(), nil, twoGroups) },
		"no group":     func() (*Set, error) { return openSet(newFake(), []int{0}, nil) },
		"an empty one": func() (*Set, error) { return openSet(newFake(), []int{0}, [][]Event{{}}) },
	} {
		if _, err := open(); err == nil || err.Error() != "there is no event to count, or no CPU to count it on" {
			t.Errorf("%s: %v", what, err)
		}
	}
	f := newFake() // an empty group among others
	if s, err := openSet(f, []int{0}, [][]Event{{}, {Cycles}}); err != nil || s.Read() != nil || len(f.opened) != 1 {
		t.Errorf("%v; open are %v", err, f.opened)
	}
}

// TestSomeCannotBeCounted checks that an event that fails on one CPU is counted on none, and that
// the others are.
func TestSomeCannotBeCounted(t *testing.T) {
	f := newFake()
	f.fails["node-loads"], f.fails["instructions on 1"] = syscall.ENOENT, syscall.EOPNOTSUPP
	s := mustOpen(t, f)
	if open := slices.Sorted(maps.Values(f.opened)); !slices.Equal(open, []string{"cycles on 0", "cycles on 1", "node-load-misses on 0", "node-load-misses on 1"}) {
		t.Errorf("open are %v", open)
	}
	mustRead(t, s)
	for e, want := range map[Event]string{
		Cycles: "", NodeLoadMisses: "", NodeLoads: "cannot count node-loads: " + noCounter + " (no such file or directory)",
		Instructions: "cannot count instructions: " + noCounter + " (operation not supported)",
	} {
		missing := s.Missing(e)
		if (missing != nil) != (want != "") || missing != nil && missing.Error() != want {
			t.Errorf("%s: %v, want %q", e.Name, missing, want)
		}
	}
	s.Close()
	if len(f.opened) > 0 {
		t.Errorf("still open: %v", f.opened)
	}
}

// TestGroupThatDoesNotFit checks that events are counted one by one where the processor cannot count
// them together, and that one that it never can count is missing.
func TestGroupThatDoesNotFit(t *testing.T) {
	f := newFake()
	f.fails["instructions in group"], f.fails["node-load-misses"] = syscall.EINVAL, syscall.EINVAL
	s := mustOpen(t, f)
	mustRead(t, s)
	f.adds("instructions on 0", 5, Times{10, 5}) // it leads a group of its own
	f.adds("cycles on 0", 8, Times{10, 10})
	mustRead(t, s)
	if i, c := s.Count(Instructions), s.Count(Cycles); i.Total != 10 || c.Total != 8 {
		t.Errorf("instructions %+v, cycles %+v", i, c)
	}
	if s.Missing(NodeLoadMisses) == nil || s.Missing(NodeLoads) != nil {
		t.Error("of the nodes, only the misses must be missing")
	}
}

func TestErrorsAfterOpening(t *testing.T) {
	f := newFake()
	f.fails["start"] = syscall.EIO
	if _, err := openSet(f, []int{0, 1}, twoGroups); err == nil || err.Error() != "cannot start counting events of the processor: input/output error" || len(f.opened) > 0 {
		t.Errorf("%v; open are %v", err, f.opened)
	}
	f = newFake()
	s := mustOpen(t, f)
	f.readErr = syscall.EIO
	if err := s.Read(); err == nil || err.Error() != "cannot read events of the processor: input/output error" {
		t.Error(err)
	}
	f.readErr = nil
	for leader := range f.leaders {
		f.leaders[leader] = nil // the kernel returns another group
	}
	if err := s.Read(); err == nil || !strings.Contains(err.Error(), "24 bytes for a group of 2 events") {
		t.Error(err)
	}
}
