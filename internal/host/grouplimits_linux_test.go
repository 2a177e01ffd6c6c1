package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"plinth/internal/host/sysfs"
)

func TestCgroupLimits(t *testing.T) {
	online := map[string]string{sysfs.CPUs + "/online": "0-7\n", nodeDir + "/has_memory": "0-1\n"}
	for name, tc := range map[string]struct {
		files map[string]string
		want  CgroupLimits
		gap   string
	}{
		"version 2": {files: map[string]string{
			"proc/self/cgroup":                              "0::/pod/one\n",
			"sys/fs/cgroup/cgroup.controllers":              "cpu io memory pids\n",
			"sys/fs/cgroup/pod/cpu.max":                     "150000 100000\n",
			"sys/fs/cgroup/pod/one/cpu.max":                 "max 100000\n",
			"sys/fs/cgroup/pod/one/memory.max":              "2147483648\n",
			"sys/fs/cgroup/pod/memory.max":                  "1073741824\n",
			"sys/fs/cgroup/pod/one/memory.high":             "536870912\n",
			"sys/fs/cgroup/pod/memory.high":                 "max\n",
			"sys/fs/cgroup/pod/pids.max":                    "100\n",
			"sys/fs/cgroup/pod/one/pids.max":                "max\n",
			"sys/fs/cgroup/pod/cpuset.cpus.effective":       "0-3\n",
			"sys/fs/cgroup/cpuset.cpus.effective":           "0-7\n",
			"sys/fs/cgroup/pod/one/cpuset.mems.effective":   "0\n",
			"sys/fs/cgroup/pod/one/io.max":                  "8:16 rbps=2097152 wbps=max riops=max wiops=120\n8:0 rbps=1 wbps=max riops=max wiops=max\n",
			"sys/fs/cgroup/pod/io.max":                      "",
			"sys/fs/cgroup/blkio.throttle.read_bps_device":  "8:0 1\n",
			"sys/fs/cgroup/pod/one/memory.limit_in_bytes":   "1\n",
			"sys/fs/cgroup/pod/one/cpuset.effective_cpus":   "7\n",
			"sys/fs/cgroup/pod/one/blkio.throttle.read_bps": "1\n",
		}, want: CgroupLimits{Version: 2, CPUs: 1.5, CPUSet: "0-3", MemSet: "0", Memory: 1 << 30, High: 512 << 20, Processes: 100,
			IOLimits: "8:16 rbps=2097152 wbps=max riops=max wiops=120; 8:0 rbps=1 wbps=max riops=max wiops=max"}},
		"version 2 without limits": {files: map[string]string{
			"proc/self/cgroup":                    "0::/\n",
			"sys/fs/cgroup/cpuset.cpus.effective": "0-7\n",
			"sys/fs/cgroup/cpuset.mems.effective": "0-1\n",
		}, want: CgroupLimits{Version: 2}},
		"version 1, hybrid": {files: map[string]string{
			"proc/self/cgroup":                                     "9:name=systemd:/\n4:cpu,cpuacct:/a\n3:memory:/a\n5:blkio:/a\n6:pids:/\n7:cpuset:/a\n0::/u\n",
			"sys/fs/cgroup/unified/u/cpu.max":                      "1 100000\n",
			"sys/fs/cgroup/unified/u/memory.high":                  "1\n",
			"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us":                 "50000\n",
			"sys/fs/cgroup/cpu/a/cpu.cfs_period_us":                "100000\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes":         "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":           "9223372036854771712\n",
			"sys/fs/cgroup/cpuset/a/cpuset.effective_cpus":         "2\n",
			"sys/fs/cgroup/cpuset/a/cpuset.effective_mems":         "0-1\n",
			"sys/fs/cgroup/pids/pids.max":                          "12\n",
			"sys/fs/cgroup/blkio/a/blkio.throttle.read_bps_device": "8:0 1048576\n",
			"sys/fs/cgroup/blkio/blkio.throttle.write_iops_device": "8:0 100\n",
		}, want: CgroupLimits{Version: 1, CPUs: 0.5, CPUSet: "2", Processes: 12, IOLimits: "read_bps 8:0 1048576; write_iops 8:0 100"}},
		"none": {files: map[string]string{"proc/self/cgroup": ""}},
		"in a container without its /sys": {files: map[string]string{"proc/self/cgroup": "0::/\n"},
			want: CgroupLimits{Version: 2}, gap: "/sys/fs/cgroup: file does not exist"},
	} {
		var i Inventory
		i.addCgroup(machine(online, tc.files))
		if i.Cgroup != tc.want {
			t.Errorf("%s: %+v, want %+v", name, i.Cgroup, tc.want)
		}
		if len(i.Gaps) > 1 || len(i.Gaps) == 1 && i.Gaps[0].Why != tc.gap || len(i.Gaps) == 0 && tc.gap != "" {
			t.Errorf("%s: gaps are %q, want %q", name, i.Gaps, tc.gap)
		}
	}
}

// This test reads the kernel's own files, in a group that it creates and limits.
func TestLimitsOfRealCgroup(t *testing.T) {
	needOtherUser(t)
	name := "/plinth-inventory-test-" + strconv.Itoa(os.Getpid())
	top, cgroup, texts := "/sys/fs/cgroup", "0::"+name, map[string]string{"cpu.max": "70000 100000"}
	if _, err := os.Stat("/sys/fs/cgroup/cpu"); err == nil {
		top, cgroup, texts = "/sys/fs/cgroup/cpu", "1:cpu:"+name, map[string]string{"cpu.cfs_quota_us": "70000"} // of 100 ms
	}
	if err := os.Mkdir(top+name, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(top + name) })
	want := 0.7
	for file, text := range texts {
		err := os.WriteFile(filepath.Join(top+name, file), []byte(text), 0o600)
		if errors.Is(err, fs.ErrPermission) { // the file is missing and cannot be created: groups at the top have no CPU controller here
			want, err = 0, nil
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var l CgroupLimits
	l.read(os.DirFS("/"), cgroup)
	if l.CPUs != want {
		t.Errorf("limits are %+v, want %v CPUs", l, want)
	}
}

// TestGroupLimitsOfContainer checks that the limits of a process in another container are read where process
// 1 has its groups, and are not those of plinth's own group.
func TestGroupLimitsOfContainer(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("proc/12/cgroup", "3:memory:/pods/b\n2:cpu,cpuacct:/pods/b\n1:name=systemd:/pods/b\n")
	put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n")
	if limits := groupLimits(root, 12); limits != (CgroupLimits{}) {
		t.Errorf("limits of plinth's group: %+v", limits)
	}
	const machine = "proc/1/root/sys/fs/cgroup/"
	put(machine+"memory/pods/b/memory.limit_in_bytes", "9223372036854771712\n")
	put(machine+"memory/pods/memory.limit_in_bytes", "536870912\n")
	put(machine+"cpu/pods/b/cpu.cfs_quota_us", "50000\n")
	put(machine+"cpu/pods/b/cpu.cfs_period_us", "100000\n")
	if limits := groupLimits(root, 12); limits != (CgroupLimits{Version: 1, CPUs: 0.5, Memory: 512 << 20}) {
		t.Errorf("limits %+v", limits)
	}
	if limits := groupLimits(root, 13); limits != (CgroupLimits{}) {
		t.Errorf("limits of no process: %+v", limits)
	}
}
