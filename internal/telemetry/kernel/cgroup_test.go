//go:build linux

package kernel

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/watch"
	"plinth/internal/journal"
	"plinth/internal/limit"
	"plinth/internal/record"
)

// grouped returns a machine with version 2 control groups where plinth is in /tests, and a
// server with id 12 may be in /server.
func grouped(t *testing.T) (root string) {
	root = t.TempDir()
	put(t, root, "proc/self/cgroup", "0::/tests\n")
	for group, usage := range map[string]string{"tests": "5000000", "server": "1000000"} {
		dir := "sys/fs/cgroup/" + group + "/"
		put(t, root, dir+"cpu.stat", "usage_usec "+usage+"\nnr_throttled 0\nthrottled_usec 0\n")
		put(t, root, dir+"cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total="+usage+"\n")
	}
	put(t, root, "sys/fs/cgroup/server/memory.current", "4096\n")
	put(t, root, "sys/fs/cgroup/server/memory.max", "8192\n")
	put(t, root, "sys/fs/cgroup/tests/io.stat", "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n")
	return root
}

// used sets the CPU time of a group, in seconds.
func used(t *testing.T, root, group string, seconds int) {
	put(t, root, "sys/fs/cgroup/"+group+"/cpu.stat", "usage_usec "+strconv.Itoa(seconds*1e6)+"\nnr_throttled 0\nthrottled_usec 0\n")
}

func TestServerIsFollowed(t *testing.T) {
	root, pid := grouped(t), 12
	put(t, root, "proc/12/cgroup", "0::/server\n")
	r := readings(t, Options{Root: root, Owners: map[string]func() int{"server": func() int { return pid }}}, "cgroup")
	defer r.source.Close()
	r.mustRead()
	used(t, root, "server", 3)
	r.mustRead()
	pid = 0 // it is restarted in the same group
	used(t, root, "server", 4)
	r.mustRead()
	columns, gaps := r.cut()
	expect(t, columns, "cgroup.cpu.usage", 2, 1)
	expect(t, columns, "cgroup.memory.current", 4096, 4096)
	expect(t, columns, "cgroup.memory.limit", 8192, 8192)
	expect(t, columns, "cgroup.pressure.cpu.some", 0, 0)
	if why := reasonOf(gaps, "cgroup.io.reads", 0); why != "no control group of the server or of plinth has io.stat" {
		t.Errorf("the I/O of plinth's own group is missing because %q", why)
	}
}

// TestServerThatIsKnownLaterIsFollowed checks that columns are of plinth's group until the
// server is known. Columns that only one of the two groups has are absent for the whole
// run, or start then.
func TestServerThatIsKnownLaterIsFollowed(t *testing.T) {
	root, pid, before := grouped(t), 0, openFiles(t)
	r := readings(t, Options{Root: root, Owners: map[string]func() int{"server": func() int { return pid }}}, "cgroup")
	r.mustRead()
	used(t, root, "tests", 9)
	r.mustRead()
	pid = 12 // /proc has nothing about it yet
	used(t, root, "tests", 10)
	r.mustRead()
	put(t, root, "proc/12/cgroup", "0::/server\n")
	used(t, root, "server", 2)
	r.mustRead()
	used(t, root, "server", 5)
	r.mustRead()
	r.source.Close()
	if after := openFiles(t); after != before {
		t.Errorf("%d files were open, and then %d", before, after)
	}
	columns, gaps := r.cut()
	expect(t, columns, "cgroup.cpu.usage", 4, 1, nan, 3)
	expect(t, columns, "cgroup.memory.current", nan, nan, 4096, 4096)
	expect(t, columns, "cgroup.pressure.cpu.some", 0, 0, nan, 0)
	expect(t, columns, "cgroup.io.reads", nan, nan, nan, nan)
	if why := reasonOf(gaps, "cgroup.cpu.usage", 2); why != otherGroup {
		t.Errorf("its CPU time is a gap because %q", why)
	}
	if why := reasonOf(gaps, "cgroup.memory.current", 0); why == "" || reasonOf(gaps, "cgroup.memory.current", 2) != "" {
		t.Errorf("plinth's group has no memory because %q", why)
	}
}

// TestServerThatIsNotSeen checks that plinth's own group is not that of a server which plinth did not start.
func TestServerThatIsNotSeen(t *testing.T) {
	root, pid := grouped(t), 0
	put(t, root, "proc/12/cgroup", "0::/server\n")
	put(t, root, "proc/13/cgroup", "0::/../elsewhere\n")
	m := &machine{Options: Options{Root: root, Apart: true, Owners: map[string]func() int{"server": func() int { return pid }}}}
	for _, unseen := range []int{0, 13} {
		pid = unseen
		if _, err := openCgroup(m); err == nil || err.Error() != "the server's control group is not visible from here" {
			t.Errorf("process %d: %v", pid, err)
		}
	}
	pid = 12
	seen, err := openCgroup(m)
	if err != nil {
		t.Fatal(err)
	}
	seen.close()
}

// TestServerOfTheSameGroup checks that a server in plinth's own group changes nothing.
func TestServerOfTheSameGroup(t *testing.T) {
	root, pid := grouped(t), 0
	put(t, root, "proc/12/cgroup", "0::/tests\n")
	r := readings(t, Options{Root: root, Owners: map[string]func() int{"server": func() int { return pid }}}, "cgroup")
	defer r.source.Close()
	r.mustRead()
	pid = 12
	used(t, root, "tests", 6)
	r.mustRead()
	columns, _ := r.cut()
	expect(t, columns, "cgroup.cpu.usage", 1)
	expect(t, columns, "cgroup.io.reads", 0)
}

// TestCapturedServerIsFollowed uses a machine where hog swaps in its own group of 64 MiB;
// plinth's group has 128 MiB.
func TestCapturedServerIsFollowed(t *testing.T) {
	hog := func(root string) func() int {
		return func() int {
			link, _ := os.Readlink(filepath.Join(root, "run/process/hog"))
			pid, _ := strconv.Atoi(filepath.Base(link))
			return pid
		}
	}
	seen := 0
	everyRoot(t, func(t *testing.T, root string) {
		if filepath.Base(filepath.Dir(root)) != "numa-md" {
			return
		}
		seen++
		r := readings(t, Options{Root: root, Owners: map[string]func() int{"server": hog(root)}}, "cgroup")
		defer r.source.Close()
		r.mustRead()
		r.mustRead()
		columns, _ := r.cut()
		expect(t, columns, "cgroup.memory.limit", 64<<20)
	})
	if seen != 2 {
		t.Errorf("the machine was seen at %d moments", seen)
	}
}

// TestLimitedServerIsFollowed checks that the CPU quota and memory of a server limited by
// plinth are seen on this machine, in either version of control groups.
func TestLimitedServerIsFollowed(t *testing.T) {
	if os.Getuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
	limits := experiment.Limits{CPUQuota: 0.05, Memory: 64 << 20}
	if err := limit.Check(limits); err != nil {
		t.Skip(err) // a container, or a kernel without these controllers
	}
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	group, err := limit.Make(j, "telemetry", limits, limit.Where{})
	if err != nil {
		t.Fatal(err, j.Close())
	}
	t.Cleanup(func() {
		if err := errors.Join(group.Remove(context.Background()), j.Close()); err != nil { // t.Context() is cancelled by then
			t.Error(err)
		}
	})
	w, pid := startWorker(t), 0 // exits before the group is removed
	for _, dir := range group.Directories() {
		put(t, dir, "cgroup.procs", strconv.Itoa(w.Process.Pid))
	}
	r := readings(t, Options{Root: "/", Owners: map[string]func() int{"server": func() int { return pid }}}, "cgroup")
	defer r.source.Close()
	r.mustRead()
	pid = w.Process.Pid
	r.mustRead()
	// Under background load it may get less than its quota for a while.
	var columns map[string][]float64
	var gaps []record.TelemetryGap
	hosttest.WaitFor(t, "two periods in which it was throttled", func() bool {
		w.do("burn 10ms")
		r.mustRead()
		columns, gaps = r.cut()
		return sum(columns["cgroup.cpu.nr_throttled"][1:]) >= 2
	})
	last := map[string]float64{"throttled in all": sum(columns["cgroup.cpu.throttled"][1:])}
	for name, values := range columns {
		last[name] = values[len(values)-1]
	}
	within(t, last, "cgroup.memory.limit", 64<<20, 64<<20)
	within(t, last, "cgroup.memory.current", 0, 64<<20)
	within(t, last, "throttled in all", 1e-6, math.Inf(1))
	if why := reasonOf(gaps, "cgroup.cpu.throttled", 0); why != otherGroup {
		t.Errorf("before that it is a gap because %q", why)
	}
}

func sum(values []float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}

// TestGroupThatKeepsCPUsAwake checks that a group's usage is without plinth's threads that keep CPUs
// awake, and that its CPU pressure, which they fill, is absent; but only if they are in the group.
func TestGroupThatKeepsCPUsAwake(t *testing.T) {
	for _, test := range []struct {
		of      string // the group of the threads
		usage   float64
		absence string
	}{{"/tests/idle", 0.1, whyAwake}, {"/tests", 0.1, whyAwake}, {"/elsewhere", 1, ""}} {
		root := grouped(t)
		put(t, root, "proc/9/cgroup", "0::"+test.of+"\n")
		r := readings(t, Options{Root: root, Idle: []watch.IdleThread{{CPU: 0, Process: 9, Thread: 10}}}, "cgroup")
		put(t, root, "proc/9/task/10/schedstat", "3000000000 0 1\n")
		r.mustRead()
		put(t, root, "proc/9/task/10/schedstat", "3900000000 0 1\n")
		used(t, root, "tests", 6)
		r.mustRead()
		columns, gaps := r.cut()
		r.source.Close()
		expect(t, columns, "cgroup.cpu.usage", test.usage)
		if why := reasonOf(gaps, "cgroup.pressure.cpu.some", 0); why != test.absence {
			t.Errorf("%s: the pressure is missing because %q", test.of, why)
		}
	}
}
