package cgroup

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestParseCPUMax(t *testing.T) {
	for text, want := range map[string]float64{
		"200000 100000": 2, "50000 100000\n": 0.5, "max 100000": 0, "-1 100000": 0, "": 0, "100000": 0,
		"100000 0": 0, "0 100000": 0, "1e5 100000": 0,
	} {
		if got, limited := parseCPUMax(text); got != want || limited != (want > 0) {
			t.Errorf("%q: %v, %v", text, got, limited)
		}
	}
}

func TestCPUGroupOf(t *testing.T) {
	hybrid := fstest.MapFS{"sys/fs/cgroup/unified/cgroup.procs": {}}
	for name, c := range map[string]struct {
		root    fstest.MapFS
		cgroup  string
		version int
		dirs    []string
	}{
		"version 2": {nil, "0::/a/b\n", 2, []string{"sys/fs/cgroup/a/b", "sys/fs/cgroup/a", "sys/fs/cgroup"}},
		"version 1": {nil, "4:cpu,cpuacct:/x\n1:name=systemd:/y\n", 1, []string{"sys/fs/cgroup/cpu/x", "sys/fs/cgroup/cpu"}},
		"hybrid with the controller in version 1": {hybrid, "0::/a\n2:cpu:/\n", 1, []string{"sys/fs/cgroup/cpu"}},
		"hybrid with the controller in version 2": {hybrid, "0::/a\n2:cpuset:/\n", 2, []string{"sys/fs/cgroup/unified/a", "sys/fs/cgroup/unified"}},
		"a name with colons":                      {nil, "0::/a:b:c\n", 2, []string{"sys/fs/cgroup/a:b:c", "sys/fs/cgroup"}},
		"above the root of the namespace":         {nil, "0::/../x\n", 2, []string{"sys/fs/cgroup/x", "sys/fs/cgroup"}},
		"none":                                    {nil, "3:cpuset:/\nnonsense\n", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := OfCPU(c.root, c.cgroup); got.Version != c.version || !slices.Equal(got.Dirs, c.dirs) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func FuzzGroups(f *testing.F) {
	for _, text := range []string{"200000 100000", "0::/a/b\n", "4:cpu,cpuacct:/x\n", "0::/../../etc\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		MemoryDirs(text)
		pageCache([]byte(text))
		if cpus, limited := parseCPUMax(text); limited != (cpus > 0) {
			t.Errorf("%v, %v", cpus, limited)
		}
		for _, dir := range OfCPU(fstest.MapFS{}, text).Dirs {
			if dir != "sys/fs/cgroup" && !strings.HasPrefix(dir, "sys/fs/cgroup/") {
				t.Errorf("leads out of the tree: %q", dir)
			}
		}
	})
}
