package watch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/sysfs"
)

// captured is a copy of the files of a virtual machine with both versions of
// control groups, in which process 4242 with four threads stands in a group
// with a CPU quota.
func captured(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/vm")); err != nil {
		t.Fatal(err)
	}
	return root
}

// write changes files below root; an empty text removes one.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(root, name)
		if text == "" {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readTwice is the usage of a second in which these files changed.
func readTwice(t *testing.T, root string, changes map[string]string) Usage {
	t.Helper()
	m := newMeter(root, 4242)
	first := m.read()
	write(t, root, changes)
	second := m.read()
	second.at = time.Second
	return usage([]reading{first, second})
}

func TestUsageOfCapturedMachine(t *testing.T) {
	u := readTwice(t, captured(t), map[string]string{
		"proc/stat": "cpu  439535 10 462804 1625147 18075 5 9869 952 50 0\n" +
			"cpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n",
		"proc/vmstat":                      "pswpin 3\npswpout 7\n",
		"proc/pressure/memory":             "some avg10=0.00 avg60=0.00 avg300=0.00 total=250000\n",
		"sys/fs/cgroup/cpu/bench/cpu.stat": "nr_periods 12\nthrottled_time 1313971568\n",
		"sys/fs/cgroup/cpu/cpu.stat":       "throttled_time 100000000\n",
		"proc/4242/task/4242/schedstat":    "138186053 129222 33\n",
		"proc/4242/task/15374/schedstat":   "307262546 146937771 303\n",
		"proc/4242/task/15375":             "",
		"proc/4242/task/15999/schedstat":   "50000000 25000000 2\n",
		"sys/fs/cgroup/unified/cpu.stat":   "throttled_usec 99000000\n", // not where the controller is
		"sys/fs/cgroup/cpu/other/cpu.stat": "throttled_time 99000000000\n",
		"sys/fs/cgroup/cpuacct/cpu.stat":   "throttled_time 99000000000\n",
	})
	want := Usage{
		Covered: time.Second, CPUs: 2,
		User: 1.1, System: 0.5, Idle: 0.2, IOWait: 0.03, Steal: 0.5,
		Throttled: 0.6, SwapIn: 3, SwapOut: 7, MemoryStall: 0.25,
		Process: ProcessUsage{Covered: time.Second, Threads: 4, CPU: 0.15, Waiting: 0.125},
		Gaps:    []Gap{{What: "thermal", Why: errNoThermal.Error()}},
	}
	near(t, u, want)
}

// near compares figures to the microsecond.
func near(t *testing.T, got, want Usage) {
	t.Helper()
	figures := func(u Usage) []float64 {
		return []float64{u.Covered.Seconds(), float64(u.CPUs), u.User, u.System, u.Idle, u.IOWait, u.Steal,
			u.Throttled, float64(u.Thermal), float64(u.SwapIn), float64(u.SwapOut), u.MemoryStall,
			u.Process.Covered.Seconds(), float64(u.Process.Threads), u.Process.CPU, u.Process.Waiting}
	}
	same := slices.EqualFunc(figures(got), figures(want), func(a, b float64) bool { return max(a-b, b-a) < 1e-6 })
	if !same || !slices.Equal(got.Gaps, want.Gaps) {
		t.Errorf("\ngot  %+v\nwant %+v", got, want)
	}
}

// A figure that can't be read is a gap with a reason, and the others are there.
func TestUsageGaps(t *testing.T) {
	others := func(Usage) bool { return false }
	for name, c := range map[string]struct {
		files map[string]string
		gaps  map[string]string // and a part of why
		zero  func(Usage) bool  // says whether a figure beside the gap is missing
	}{
		"no proc": {map[string]string{"proc": "", "proc2": "x"}, map[string]string{
			"cpu": "proc", "steal": "proc", "throttled": "proc/4242/cgroup", "swap": "proc/vmstat",
			"memory_stall": "proc", "process": "proc"}, others},
		"no CPU times": {map[string]string{"proc/stat": ""}, map[string]string{
			"cpu": "proc/stat: no such file", "steal": "proc/stat: no such file"},
			func(u Usage) bool { return u.Process.Threads == 0 }},
		"a stat without CPUs": {map[string]string{"proc/stat": "btime 1\n"}, map[string]string{
			"cpu": "no CPU", "steal": "no CPU"}, others},
		"a virtual machine that never saw steal": {map[string]string{"proc/stat": "cpu  1 0 1 1 0 0 0 0 0 0\ncpu0 1 0 1 1 0 0 0 0 0 0\n"},
			map[string]string{"steal": "hypervisor may not report"}, func(u Usage) bool { return u.CPUs != 1 }},
		"no pressure": {map[string]string{"proc/pressure": ""}, map[string]string{
			"memory_stall": "proc/pressure/memory: no such file"}, func(u Usage) bool { return u.CPUs == 0 }},
		"pressure without some": {map[string]string{"proc/pressure/memory": "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"},
			map[string]string{"memory_stall": "has no \"some\" line"}, others},
		"no swap in the kernel": {map[string]string{"proc/vmstat": "nr_free_pages 1\n"},
			map[string]string{"swap": "no swap"}, others},
		"groups that are not there": {map[string]string{"sys/fs/cgroup": ""},
			map[string]string{"throttled": "cpu.stat: no such file"}, others},
		"no groups": {map[string]string{"proc/4242/cgroup": "0:name=x:/\n"},
			map[string]string{"throttled": "not in a CPU control group"}, others},
		"no process": {map[string]string{"proc/4242": ""}, map[string]string{
			"process": "has ended", "throttled": "4242/cgroup: no such file"}, func(u Usage) bool { return u.CPUs == 0 }},
		"no run queue times": {map[string]string{
			"proc/4242/task/15374": "", "proc/4242/task/15375": "", "proc/4242/task/15376": "",
			"proc/4242/task/4242/schedstat": "0 0 0\n"}, map[string]string{"process": "does not count"}, others},
		"no schedstat": {map[string]string{
			"proc/4242/task/15374": "", "proc/4242/task/15375": "", "proc/4242/task/15376": "",
			"proc/4242/task/4242/schedstat": "", "proc/4242/task/4242/stat": "x"},
			map[string]string{"process": "schedstat: no such file"}, others},
	} {
		t.Run(name, func(t *testing.T) {
			root := captured(t)
			write(t, root, c.files)
			u := readTwice(t, root, nil)
			c.gaps["thermal"] = "no counters of thermal events"
			got := map[string]string{}
			for _, gap := range u.Gaps {
				got[gap.What] = gap.Why
			}
			if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(c.gaps))) {
				t.Fatalf("gaps are %v", got)
			}
			for what, why := range c.gaps {
				if !strings.Contains(got[what], why) {
					t.Errorf("%s: %q does not say %q", what, got[what], why)
				}
			}
			if c.zero(u) {
				t.Errorf("another figure is missing: %+v", u)
			}
		})
	}
}

// A machine of metal with two packages of two threads on one core, control
// groups of version 2, and no steal, which is right there.
func TestUsageOfMetal(t *testing.T) {
	files := map[string]string{
		"proc/cpuinfo":     "flags\t: fpu vme sse\n",
		"proc/stat":        "cpu  1 0 1 1 0 0 0 0 0 0\ncpu0 1 0 1 1 0 0 0 0 0 0\n",
		"proc/4242/cgroup": "0::/system.slice/bench.service\n",
		"sys/fs/cgroup":    "",
	}
	root := captured(t)
	write(t, root, files)
	write(t, root, map[string]string{
		"sys/fs/cgroup/cpu.stat":                            "usage_usec 5\n",
		"sys/fs/cgroup/system.slice/cpu.stat":               "usage_usec 5\nnr_throttled 0\nthrottled_usec 0\n",
		"sys/fs/cgroup/system.slice/bench.service/cpu.stat": "usage_usec 5\nnr_throttled 1\nthrottled_usec 1000000\n",
	})
	for cpu, place := range map[string][2]string{"cpu0": {"0", "0"}, "cpu1": {"0", "0"}, "cpu2": {"1", "0"}, "cpu3": {"1", "0"}} {
		dir := sysfs.CPUs + "/" + cpu
		write(t, root, map[string]string{
			dir + "/topology/physical_package_id":               place[0],
			dir + "/topology/core_id":                           place[1],
			dir + "/thermal_throttle/core_throttle_count":       "10\n",
			dir + "/thermal_throttle/package_throttle_count":    "100\n",
			dir + "/thermal_throttle/core_throttle_max_time_ms": "7\n",
		})
	}
	u := readTwice(t, root, map[string]string{
		sysfs.CPUs + "/cpu0/thermal_throttle/core_throttle_count":    "11\n",
		sysfs.CPUs + "/cpu1/thermal_throttle/core_throttle_count":    "11\n", // the same event
		sysfs.CPUs + "/cpu2/thermal_throttle/package_throttle_count": "105\n",
		sysfs.CPUs + "/cpu3/thermal_throttle/package_throttle_count": "105\n",
		"sys/fs/cgroup/system.slice/bench.service/cpu.stat":          "throttled_usec 1250000\n",
		"sys/fs/cgroup/system.slice/cpu.stat":                        "throttled_usec 500000\n",
	})
	if u.Thermal != 6 || u.Throttled != 0.75 || len(u.Gaps) != 0 {
		t.Errorf("%+v", u)
	}
}

// In a container the group's path is that of the host, and the top of the tree
// is the container's own group.
func TestThrottledInContainer(t *testing.T) {
	root := captured(t)
	write(t, root, map[string]string{"sys/fs/cgroup": "", "proc/4242/cgroup": "0::/docker/4f5e\n"})
	write(t, root, map[string]string{"sys/fs/cgroup/cpu.stat": "throttled_usec 0\n"})
	u := readTwice(t, root, map[string]string{"sys/fs/cgroup/cpu.stat": "throttled_usec 2500000\n"})
	if u.Throttled != 2.5 {
		t.Errorf("throttled for %v s, gaps %v", u.Throttled, u.Gaps)
	}
}
