package awake

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal/journaltest"
	"plinth/internal/limit"
)

func TestMain(m *testing.M) {
	host.GuardMain()
	Main()
	os.Exit(m.Run())
}

// TestStart keeps each CPU awake by a thread of its own, which runs where nobody else
// would: bound to it, of the idle class, in a group that counts for nothing.
func TestStart(t *testing.T) {
	hosttest.NeedRoot(t)
	group, err := limit.MakeIdle(journaltest.Open(t, limit.Undoers()), "awake")
	if err != nil {
		t.Fatal(err)
	}
	k, err := Start(t.Context(), host.NewLocal(), group.Directories())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Stop() })
	if len(k.Threads()) != runtime.NumCPU() {
		t.Fatalf("%+v on %d CPUs", k.Threads(), runtime.NumCPU())
	}
	for _, thread := range k.Threads() {
		attr, err := unix.SchedGetAttr(thread.Thread, 0)
		if err != nil || attr.Policy != unix.SCHED_IDLE || attr.Nice != 19 {
			t.Errorf("thread %d has policy %d, nice %d, %v", thread.Thread, attr.Policy, attr.Nice, err)
		}
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(thread.Thread, &set); err != nil || set.Count() != 1 || !set.IsSet(thread.CPU) {
			t.Errorf("thread %d, of CPU %d, may run on %v: %v", thread.Thread, thread.CPU, set, err)
		}
		before := ran(t, thread)
		hosttest.WaitFor(t, "the CPU to have nothing else to do", func() bool { return ran(t, thread) > before+20e6 })
	}
	if procs, err := os.ReadFile(filepath.Join(group.Directories()[0], "cgroup.procs")); err != nil || strings.TrimSpace(string(procs)) != strconv.Itoa(k.Threads()[0].Process) {
		t.Errorf("in its group are %q, %v", procs, err)
	}
	if err := k.Stop(); err != nil {
		t.Error(err)
	}
	if err := group.Remove(t.Context()); err != nil {
		t.Error(err)
	}
}

// ran is for how many nanoseconds a thread ran.
func ran(t *testing.T, thread host.IdleThread) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(thread.Process), "task", strconv.Itoa(thread.Thread), "schedstat"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStartFails says why where there is no such group.
func TestStartFails(t *testing.T) {
	k, err := Start(t.Context(), host.NewLocal(), []string{"/nowhere/at/all"})
	if err == nil {
		_ = k.Stop()
		t.Fatal("it started in a group that is not there")
	}
	if !strings.HasPrefix(err.Error(), "cannot keep the CPUs awake: ") {
		t.Error(err)
	}
}
