package awake

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/limit"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
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
	k, err := Start(t.Context(), launch.NewLocal(), group.Directories())
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
		// In a row, not always: the Go runtime stops a thread for a moment while it starts and collects
		// garbage.
		hosttest.WaitFor(t, "the thread to want its CPU a hundred times in a row", func() bool {
			for range 100 {
				if state(t, thread) != "R" {
					return false
				}
			}
			return true
		})
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

// file is the text of a file of a thread in /proc.
func file(t testing.TB, thread watch.IdleThread, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(thread.Process), "task", strconv.Itoa(thread.Thread), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// state is the letter of a thread's state: R of one that runs, or would if its CPU had
// nothing else to do.
func state(t testing.TB, thread watch.IdleThread) string {
	t.Helper()
	text := file(t, thread, "stat")
	_, after, _ := strings.Cut(text, ") ")
	letter, _, _ := strings.Cut(after, " ")
	return letter
}

// TestStartFails says why where there is no such group.
func TestStartFails(t *testing.T) {
	k, err := Start(t.Context(), launch.NewLocal(), []string{"/nowhere/at/all"})
	if err == nil {
		_ = k.Stop()
		t.Fatal("it started in a group that is not there")
	}
	if !strings.HasPrefix(err.Error(), "cannot keep the CPUs awake: ") {
		t.Error(err)
	}
}
