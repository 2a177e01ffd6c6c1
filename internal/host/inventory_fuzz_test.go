//go:build linux

package host

import (
	"os"
	"slices"
	"strings"
	"testing"

	"plinth/internal/host/sysfs"
)

// A valid list survives being written and read back.
func FuzzParseRanges(f *testing.F) {
	for _, text := range []string{"", "0-3,8\n", "5,1-2", "0-65535", "1-", "00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseRanges(text)
		if err != nil {
			return
		}
		slices.Sort(list)
		list = slices.Compact(list)
		if len(list) > 0 && (list[0] < 0 || list[len(list)-1] >= mostNumbers) {
			t.Fatalf("%q holds %d to %d", text, list[0], list[len(list)-1])
		}
		if again, err := ParseRanges(Ranges(slices.Clone(list))); err != nil || !slices.Equal(again, list) {
			t.Errorf("%q is %v, and read back %v (%v)", text, list, again, err)
		}
	})
}

// Whatever the files contain, no figure of an inventory is negative.
func FuzzInventory(f *testing.F) {
	for _, file := range []string{"meminfo", "swaps", "loadavg", "self/limits", "self/cgroup", "self/mountinfo", "cpuinfo"} {
		text, err := os.ReadFile("/proc/" + file)
		if err == nil {
			f.Add(string(text))
		}
	}
	f.Add("0::/a/../b\n4:cpu,memory:/x\n")
	f.Add("-1")
	f.Add("48K")
	f.Fuzz(func(t *testing.T, text string) {
		files := map[string]string{}
		for _, name := range []string{
			"proc/meminfo", "proc/swaps", "proc/loadavg", "proc/self/limits", "proc/self/cgroup", "proc/self/mountinfo", "proc/cpuinfo",
			"proc/1/environ", "proc/sys/vm/swappiness", sysfs.CPUs + "/online", cpuFile(0, "cache/index0/size"), cpuFile(0, "cache/index0/level"),
			cpuFile(0, "cpufreq/cpuinfo_max_freq"), cpuFile(0, "topology/thread_siblings_list"), sysfs.CPUs + "/vulnerabilities/x",
			nodeDir + "/node0/meminfo", nodeDir + "/node0/distance", clocksFile, dmiDir + "sys_vendor",
			"sys/fs/cgroup/cpu.max", "sys/fs/cgroup/memory.high", "sys/fs/cgroup/pids.max", "sys/fs/cgroup/io.max",
			"sys/block/sda/size", "sys/block/sda/device/model", "sys/block/sda/queue/scheduler", "sys/block/sda/queue/read_ahead_kb",
		} {
			files[name] = strings.TrimPrefix(text, "->")
		}
		i, err := readInventory(machine(files))
		if err != nil {
			t.Fatal(err)
		}
		m := i.Memory
		for _, n := range []int64{m.Total, m.Available, m.HugePages, m.SwapUsed, i.Cgroup.Memory, i.Cgroup.High, i.Cgroup.Processes,
			int64(i.CPU.Online), int64(i.CPU.MaxMHz), int64(i.CPU.ThreadsPerCore)} {
			if n < 0 {
				t.Errorf("%q gives %+v", text, i)
			}
		}
		for _, d := range i.Disks {
			if d.Size < 0 || d.ReadAhead < 0 || d.MaxSectors < 0 {
				t.Errorf("%q gives %+v", text, d)
			}
		}
		for _, c := range i.CPU.Caches {
			if c.Size < 0 || c.Level < 0 {
				t.Errorf("%q gives %+v", text, c)
			}
		}
	})
}
