package neighbour

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/unit"
)

// TestMemory fills memory, which the kernel then counts for the process, in memory and
// page by page, and would take back from it first.
func TestMemory(t *testing.T) {
	t.Parallel()
	const asked = 64 * unit.MiB
	load := startHere(t, Options{Memory: asked})
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", load.PID()))
	if err != nil {
		t.Fatal(err)
	}
	if held, err := statusSize(text, "RssAnon:"); err != nil || held < int64(asked) {
		t.Errorf("%v are in memory, want %v: %v", unit.Size(held), asked, err)
	}
	if score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", load.PID())); err != nil || string(score) != "1000\n" {
		t.Errorf("oom_score_adj is %q, %v", score, err)
	}
	before := load.output.latest().At
	hosttest.WaitFor(t, "half a second", func() bool { return load.output.latest().At > before+500*time.Millisecond })
	reached := load.Reached()
	// The process has some MiB of its own.
	if held := reached.Memory + reached.Swapped; held < asked*98/100 || held > asked+24*unit.MiB {
		t.Errorf("it tells of %v in memory and %v swapped out, want %v", reached.Memory, reached.Swapped, asked)
	}
	if reached.CPU != 0 || reached.Write != 0 || load.Size() != 0 {
		t.Errorf("and it does what nobody asked for: %+v", reached)
	}
	if used := ticksOf(t, load.PID()); used > 2*time.Second {
		t.Errorf("to keep 64 MiB warm it used %v of CPU time", used)
	}
}

// ticksOf is the CPU time that the kernel counted for a process.
func ticksOf(t *testing.T, pid int) time.Duration {
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
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100
}

// TestCPU keeps a CPU busy, and then more threads busy than there are CPUs: those wait
// for each other, and that is told apart.
func TestCPU(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{1, 6} {
		load := startHere(t, Options{CPU: threads})
		began, watch := time.Now(), host.NewWatch(load.PID(), 50*time.Millisecond)
		before, ticks := load.output.latest(), ticksOf(t, load.PID())
		load.Reached()
		hosttest.WaitFor(t, "a second", func() bool { return load.output.latest().At > before.At+time.Second })
		reached := load.Reached()
		seconds := (load.last.At - before.At).Seconds()
		counted := (ticksOf(t, load.PID()) - ticks).Seconds() / seconds
		watch.Stop()
		// What a hypervisor gave to others they neither ran nor waited for.
		stolen := stolen(t, watch, began)
		if pressed, all := reached.CPU+reached.Waiting, float64(threads); pressed > 1.1*all || pressed < 0.9*all-stolen {
			t.Errorf("%d threads: %+v: they ran or waited for %.2f CPUs, and %.2f were stolen", threads, reached, pressed, stolen)
		}
		// The kernel is asked up to 100 ms after what the load told.
		if reached.CPU <= 0.02 || counted < 0.8*reached.CPU-0.1 || counted > 1.4*reached.CPU+0.2 {
			t.Errorf("%d threads: they say that they ran on %.2f CPUs, the kernel counted %.2f", threads, reached.CPU, counted)
		}
		if err := load.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// stolen is how many CPUs the hypervisor gave to others, on average.
func stolen(t *testing.T, w *host.Watch, since time.Time) float64 {
	t.Helper()
	u, err := w.Between(since, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return u.Steal / u.Covered.Seconds()
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
// load is killed, and the other, which is larger, is not. It may be as well: the kernel
// looks for the next one when it has taken the memory of the first apart, a moment before
// that is free (exit_mmap sets MMF_OOM_SKIP before the last pages are given back). So
// there are some tries; were the larger one chosen first, none would do.
func TestFirstToBeKilled(t *testing.T) {
	for range 8 {
		if firstToBeKilled(t) {
			return
		}
	}
	t.Error("the other process was killed as well, each time")
}

// firstToBeKilled says whether the other process lives on.
func firstToBeKilled(t *testing.T) (lives bool) {
	group := memoryGroup(t, 512<<20)
	load := startHere(t, Options{Memory: 48 * unit.MiB, Groups: []string{group}})
	other := startBig(t, group)
	tighten(t, group, 8<<20)
	if err := other.Signal(unix.SIGUSR1); err != nil { // now it takes more
		t.Fatal(err)
	}
	select {
	case <-load.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the load lives")
	}
	err := load.Err()
	if !errors.Is(err, ErrKilled) || !strings.Contains(err.Error(), "of 48MiB of memory") || hint.Of(err) == "" {
		t.Errorf("it ended with %v (hint %q)", err, hint.Of(err))
	}
	select {
	case <-other.Done():
		return false
	case <-time.After(200 * time.Millisecond):
		return true
	}
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
func startBig(t *testing.T, group string) host.Process {
	t.Helper()
	ready := newOutput()
	p, err := host.NewLocal().Start(host.Command{Path: selfPath, Dir: "/", Groups: []string{group},
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
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	load, err := Start(ctx, host.NewLocal(), Options{Memory: 256 * unit.MiB, Groups: []string{group}})
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
	for name, want := range map[string]int64{"RssAnon:": 64 << 20, "VmSwap:": 0} {
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

func TestParseSchedstat(t *testing.T) {
	for text, want := range map[string][2]time.Duration{
		"1500000000 20 3\n": {1500 * time.Millisecond, 20},
		"5 6":               {5, 6},
		"":                  {},
		"x 6 7":             {},
		"5":                 {},
	} {
		if ran, waited := parseSchedstat(text); ran != want[0] || waited != want[1] {
			t.Errorf("%q: %v, %v", text, ran, waited)
		}
	}
}
