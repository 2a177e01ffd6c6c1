package perf

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host/hosttest"
)

// These tests count the kernel's software events: those of the processor are not on every machine.

// allCPUs returns the CPUs that are online, which this test may run on.
func allCPUs(t testing.TB) (cpus []int) {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	for cpu := range 1024 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// needEvents skips a test on a kernel without performance events.
func needEvents(t testing.TB) {
	t.Helper()
	hosttest.NeedRoot(t)
	if _, err := os.Stat("/proc/sys/kernel/perf_event_paranoid"); err != nil { // perf_event_open(2), Notes
		t.Skip("the kernel has no performance events")
	}
}

func openLive(t testing.TB, cpus []int, groups ...[]Event) *Set {
	t.Helper()
	s, err := Open(cpus, groups...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Read(); err != nil {
		t.Fatal(err)
	}
	return s
}

// fault causes page faults.
func fault(t testing.TB, pages int) {
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

const somePages = 1000

// software returns one of the kernel's other events.
func software(name string, config uint64) Event { return Event{name, typeSoftware, config} }

var minorFaults = software("minor-faults", unix.PERF_COUNT_SW_PAGE_FAULTS_MIN)

// TestAllProcesses counts page faults of the whole machine: at least those of this process.
func TestAllProcesses(t *testing.T) {
	needEvents(t)
	s := openLive(t, allCPUs(t), []Event{PageFaults, CPUClock})
	fault(t, somePages)
	if err := s.Read(); err != nil {
		t.Fatal(err)
	}
	c := s.Count(PageFaults)
	if c.Total < somePages || c.Unknown != "" {
		t.Errorf("%d faults were caused, and %+v counted", somePages, c)
	}
	if c.Enabled <= 0 || c.Running != c.Enabled { // software events need no counters
		t.Errorf("enabled for %v s, running for %v s", c.Enabled, c.Running)
	}
	if clock := s.Count(CPUClock); clock.Total <= 0 {
		t.Errorf("%+v", clock)
	}
}

// openAs opens an event in a process of another user, and returns its output.
func openAs(t testing.TB, user uint32) string {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestOpenInChild$")
	cmd.Env, cmd.Dir = append(os.Environ(), "PLINTH_TEST_OPEN=1"), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestOpenInChild is the process that openAs starts.
func TestOpenInChild(*testing.T) {
	if os.Getenv("PLINTH_TEST_OPEN") == "" {
		return
	}
	s, err := Open([]int{0}, []Event{PageFaults})
	if err == nil {
		s.Close()
	}
	fmt.Println("opened:", err)
}

// TestWithoutRights checks the reason that a process without rights is given, as the kernel is set.
func TestWithoutRights(t *testing.T) {
	needEvents(t)
	text, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		t.Fatal(err)
	}
	paranoid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	const unprivileged = 65534
	out := openAs(t, unprivileged)
	want := "opened: <nil>\n"
	if paranoid > 0 {
		want = "opened: cannot count events of the processor: " + noRight + "\n"
	}
	if !strings.HasPrefix(out, want) {
		t.Errorf("with perf_event_paranoid %d: %q, want %q", paranoid, out, want)
	}
}

// TestProcessor checks that the events of the processor are counted if the kernel has a driver for
// its counters, and that their absence has a reason otherwise.
func TestProcessor(t *testing.T) {
	needEvents(t)
	s, err := Open(allCPUs(t), []Event{Cycles, Instructions})
	if !hasCounters(t) {
		if err == nil || !strings.HasPrefix(err.Error(), "cannot count events of the processor: there is no such counter on this machine") {
			t.Errorf("without counters: %v", err)
		}
		var reason *Error
		if !errors.As(err, &reason) || reason.CPU != allCPUs(t)[0] {
			t.Errorf("%#v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		if err := s.Read(); err != nil {
			t.Fatal(err)
		}
		fault(t, somePages)
	}
	if c := s.Count(Instructions); c.Unknown == "" && !(c.Total > 0) || math.IsInf(c.Total, 0) {
		t.Errorf("%+v", c)
	}
}

// hasCounters reports whether the kernel has a driver for counters of this processor: it is named
// cpu or cpu_core on x86, and after the architecture elsewhere (Documentation/ABI/testing/
// sysfs-bus-event_source-devices).
func hasCounters(t testing.TB) bool {
	t.Helper()
	for _, pattern := range []string{"cpu", "cpu_core", "armv8_*", "armv9_*"} {
		if found, err := filepath.Glob("/sys/bus/event_source/devices/" + pattern); err != nil {
			t.Fatal(err)
		} else if len(found) > 0 {
			return true
		}
	}
	return false
}

// TestConstants checks the numbers of events against those of the system's headers.
func TestConstants(t *testing.T) {
	for _, test := range []struct {
		event        Event
		kind, config uint64
	}{
		{Cycles, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
		{Instructions, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS},
		{DTLBLoadMisses, unix.PERF_TYPE_HW_CACHE, unix.PERF_COUNT_HW_CACHE_DTLB | unix.PERF_COUNT_HW_CACHE_OP_READ<<8 | unix.PERF_COUNT_HW_CACHE_RESULT_MISS<<16},
		{LLCLoadMisses, unix.PERF_TYPE_HW_CACHE, unix.PERF_COUNT_HW_CACHE_LL | unix.PERF_COUNT_HW_CACHE_OP_READ<<8 | unix.PERF_COUNT_HW_CACHE_RESULT_MISS<<16},
		{NodeLoads, unix.PERF_TYPE_HW_CACHE, unix.PERF_COUNT_HW_CACHE_NODE | unix.PERF_COUNT_HW_CACHE_OP_READ<<8 | unix.PERF_COUNT_HW_CACHE_RESULT_ACCESS<<16},
		{NodeLoadMisses, unix.PERF_TYPE_HW_CACHE, unix.PERF_COUNT_HW_CACHE_NODE | unix.PERF_COUNT_HW_CACHE_OP_READ<<8 | unix.PERF_COUNT_HW_CACHE_RESULT_MISS<<16},
		{CPUClock, unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK},
		{PageFaults, unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS},
	} {
		if uint64(test.event.kind) != test.kind || test.event.config != test.config {
			t.Errorf("%+v, want type %d and config %#x", test.event, test.kind, test.config)
		}
	}
}
