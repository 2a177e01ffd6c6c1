package neighbour

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// TestMemory fills memory, which the kernel then counts for the process page by page, and
// would take back from it first.
func TestMemory(t *testing.T) {
	t.Parallel()
	const asked = 16 * unit.MiB
	load := startHere(t, Options{Memory: asked})
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", load.PID()))
	if err != nil {
		t.Fatal(err)
	}
	held, err := statusSize(text, "RssAnon")
	swapped, failed := statusSize(text, "VmSwap")
	if err != nil || failed != nil || held+swapped < int64(asked) {
		t.Errorf("%v are in memory and %v swapped out, want %v: %v, %v", unit.Size(held), unit.Size(swapped), asked, err, failed)
	}
	if score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", load.PID())); err != nil || string(score) != "1000\n" {
		t.Errorf("oom_score_adj is %q, %v", score, err)
	}
	before := load.output.latest().At
	hosttest.WaitFor(t, "two more reports", func() bool { return load.output.latest().At > before+reportEvery })
	reached := load.Reached()
	// The process has some MiB of its own.
	if held := reached.Memory + reached.Swapped; held < asked*98/100 || held > asked+24*unit.MiB {
		t.Errorf("it tells of %v in memory and %v swapped out, want %v", reached.Memory, reached.Swapped, asked)
	}
	if reached.CPU != 0 || reached.Write != 0 || load.Size() != 0 {
		t.Errorf("and it does what nobody asked for: %+v", reached)
	}
	if used := ticksOf(t, load.PID()); used > 2*time.Second {
		t.Errorf("to keep 16 MiB warm it used %v of CPU time", used)
	}
}

// ticksOf is the CPU time that the kernel counted for a process, in whole ticks.
func ticksOf(t testing.TB, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	var state string
	var skip, user, system int64
	if _, err := fmt.Sscan(rest, &state, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * tick
}

// tick is a step of /proc/PID/stat: USER_HZ is 100.
const tick = 10 * time.Millisecond

// TestCPU keeps a CPU busy, and then more threads busy than there are CPUs: those wait
// for each other, and that is told apart. No thread runs and waits for longer than it is
// there, nor more than the kernel counts.
func TestCPU(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{1, runtime.NumCPU() + 4} {
		began := time.Now()
		load := startHere(t, Options{CPU: threads})
		hosttest.WaitFor(t, "its threads to run, and to wait where there are many", func() bool {
			now := load.output.latest()
			return now.At > load.last.At && now.Ran > 50*time.Millisecond && (threads == 1 || now.Waited > 50*time.Millisecond)
		})
		told := load.output.latest()
		counted, within := ticksOf(t, load.PID()), time.Since(began)
		// The scheduler's clock may be quicker than the monotonic one, which NTP corrects.
		if most := within * time.Duration(threads) * 101 / 100; told.Ran+told.Waited > most {
			t.Errorf("%d threads ran for %v and waited for %v within %v", threads, told.Ran, told.Waited, within)
		}
		if told.Ran > counted+2*tick {
			t.Errorf("%d threads say that they ran for %v, the kernel counted %v", threads, told.Ran, counted)
		}
		if reached := load.Reached(); reached.CPU <= 0 || reached.Waiting < 0 {
			t.Errorf("%d threads: %+v", threads, reached)
		}
		if err := load.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// memoryGroup is a control group of the test's own with a memory limit.
func memoryGroup(t *testing.T, limit int64) string {
	t.Helper()
	hosttest.NeedRoot(t)
	for _, version := range []struct{ top, file string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(version.top, fmt.Sprintf("plinth-test-neighbour-%s", rand.Text()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			continue
		}
		remove := func() bool { return unix.Rmdir(dir) == nil }
		if os.WriteFile(filepath.Join(dir, version.file), fmt.Appendf(nil, "%d", limit), 0) != nil {
			remove()
			continue
		}
		t.Cleanup(func() { hosttest.WaitFor(t, "the group to be empty", remove) })
		return dir
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no control group with a memory limit can be made")
	}
	t.Skip("no control group with a memory limit can be made")
	return ""
}

// TestFirstToBeKilled takes away the memory that a load and another process share: the
// load is killed, which the kernel would choose before the other, though that is larger.
// The other may be killed as well: the kernel looks for the next one when it has taken the
// memory of the first apart, a moment before that is free (exit_mmap sets MMF_OOM_SKIP
// before the last pages are given back).
func TestFirstToBeKilled(t *testing.T) {
	group := memoryGroup(t, 512<<20)
	load := startHere(t, Options{Memory: 48 * unit.MiB, Groups: []string{group}})
	other := startBig(t, group)
	if first, next := oomScore(t, load.PID()), oomScore(t, other.PID()); first <= next {
		t.Errorf("the load has an oom_score of %d, and the other process one of %d", first, next)
	}
	tighten(t, group, 8<<20)
	if err := other.Signal(unix.SIGUSR1); err != nil { // now it takes more
		t.Fatal(err)
	}
	select {
	case <-load.Done():
	case <-time.After(time.Minute):
		t.Fatal("the load lives")
	}
	err := load.Err()
	if !errors.Is(err, ErrKilled) || !strings.Contains(err.Error(), "of 48MiB of memory") || hint.Of(err) == "" {
		t.Errorf("it ended with %v (hint %q)", err, hint.Of(err))
	}
}

// oomScore is how likely the kernel is to kill a process when memory ends
// (proc_pid_oom_score(5)).
func oomScore(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score", pid))
	if err != nil {
		t.Fatal(err)
	}
	score, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// tighten leaves a group so many bytes more than it has.
func tighten(t *testing.T, group string, spare int64) {
	t.Helper()
	for usage, limit := range map[string]string{"memory.usage_in_bytes": "memory.limit_in_bytes", "memory.current": "memory.max"} {
		text, err := os.ReadFile(filepath.Join(group, usage))
		if err != nil {
			continue
		}
		used, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil {
			err = os.WriteFile(filepath.Join(group, limit), fmt.Appendf(nil, "%d", used+spare), 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// startBig starts this test binary as a process with 96 MiB that takes 32 more on a signal.
func startBig(t *testing.T, group string) launch.Process {
	t.Helper()
	ready := newOutput()
	p, err := launch.NewLocal().Start(launch.Command{Path: selfPath, Dir: "/", Groups: []string{group},
		Env: append(os.Environ(), "PLINTH_TEST_BIG=1"), Stdout: ready})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	select {
	case <-ready.ready:
	case <-p.Done():
		t.Fatal("the other process ended")
	}
	return p
}

// TestMemoryEnds asks for more than there is: the load is killed before it is ready,
// and says how far it came.
func TestMemoryEnds(t *testing.T) {
	group := memoryGroup(t, 64<<20)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	load, err := Start(ctx, launch.NewLocal(), Options{Memory: 256 * unit.MiB, Groups: []string{group}})
	if err != nil {
		if !errors.Is(err, ErrKilled) || !strings.Contains(err.Error(), "of 256MiB of memory") {
			t.Errorf("it did not start: %v", err)
		}
		return
	}
	// It saw the end coming, and stopped short of it.
	defer func() { _ = load.Stop() }()
	if held := load.output.latest().Held; held >= 256<<20 {
		t.Errorf("it holds %v in a group of 64 MiB", unit.Size(held))
	}
}

func TestStatusSize(t *testing.T) {
	const status = "Name:\tplinth\nRssAnon:\t   65536 kB\nVmSwap:\t       0 kB\nThreads:\t7\nRssFile: x kB\n"
	for name, want := range map[string]int64{"RssAnon": 64 << 20, "VmSwap": 0} {
		if got, err := statusSize([]byte(status), name); err != nil || got != want {
			t.Errorf("%s %d, %v", name, got, err)
		}
	}
	for _, name := range []string{"RssFile:", "Nothing:"} {
		if got, err := statusSize([]byte(status), name); err == nil {
			t.Errorf("%s %d", name, got)
		}
	}
}
