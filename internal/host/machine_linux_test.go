package host

import (
	"fmt"
	"reflect"
	"testing"

	"plinth/internal/host/sysfs"
)

// server returns a machine with two sockets of four cores with two threads each, two nodes,
// and a governor that was changed on some CPUs.
func server() map[string]string {
	files := map[string]string{
		sysfs.CPUs + "/online":                                              "0-15\n",
		sysfs.CPUs + "/smt/control":                                         "on\n",
		sysfs.CPUs + "/isolated":                                            "14-15\n",
		sysfs.CPUs + "/cpuidle/current_driver":                              "intel_idle\n",
		sysfs.CPUs + "/intel_pstate/no_turbo":                               "0\n",
		sysfs.CPUs + "/vulnerabilities/meltdown":                            "Not affected\n",
		sysfs.CPUs + "/vulnerabilities/spectre_v2":                          "Mitigation: Enhanced / Automatic IBRS\n",
		nodeDir + "/has_memory":                                             "0-1\n",
		"proc/meminfo":                                                      "MemTotal: 4096 kB\nMemAvailable: 2048 kB\nSwapTotal: 1024 kB\nSwapFree: 1000 kB\nHugePages_Total: 7\nHugePages_Free: 5\nHugePages_Rsvd: 2\nHugepagesize: 2048 kB\n",
		"proc/swaps":                                                        "Filename Type Size Used Priority\n/dev/sda2 partition 1000 20 -2\n/swap\\040file\\040(deleted) file 24 4 -3\n",
		"proc/loadavg":                                                      "1.50 0.25 0.05 3/412 99\n",
		"proc/sys/vm/swappiness":                                            "60\n",
		"proc/sys/vm/dirty_ratio":                                           "20\n",
		"proc/sys/kernel/sem":                                               "32000\t1024000000\t500\t32000\n",
		"proc/sys/kernel/sched_domain/cpu0/name":                            "SMT\n",
		"proc/sys/kernel/hostname":                                          "db-1\n",
		"sys/kernel/mm/transparent_hugepage/enabled":                        "always [madvise] never\n",
		"sys/kernel/mm/transparent_hugepage/defrag":                         "always defer [defer+madvise] madvise never\n",
		"sys/module/zswap/parameters/enabled":                               "Y\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource":   "hpet\n",
		"sys/devices/system/clocksource/clocksource0/available_clocksource": "hpet acpi_pm \n",
	}
	for cpu := range 16 {
		core, socket := cpu%8, cpu%8/4
		governor := "powersave"
		if cpu < 3 {
			governor = "performance"
		}
		for name, text := range map[string]string{
			"topology/thread_siblings_list":         fmt.Sprintf("%d,%d", core, core+8),
			"topology/physical_package_id":          fmt.Sprint(socket),
			"topology/core_id":                      fmt.Sprint(core % 4), // the same in both sockets
			"cpufreq/scaling_driver":                "intel_pstate",
			"cpufreq/scaling_governor":              governor,
			"cpufreq/energy_performance_preference": "balance_performance",
			"cpufreq/cpuinfo_min_freq":              fmt.Sprint(800000 + cpu*1000),
			"cpufreq/cpuinfo_max_freq":              fmt.Sprint(3500000 + cpu*1000),
			"cache/index0/level":                    "1",
			"cache/index0/type":                     "Data",
			"cache/index0/size":                     "48K",
			"cache/index0/shared_cpu_list":          fmt.Sprintf("%d,%d", core, core+8),
			"cache/index3/level":                    "3",
			"cache/index3/type":                     "Unified",
			"cache/index3/size":                     "36864K",
			"cache/index3/shared_cpu_list":          fmt.Sprintf("%d-%d,%d-%d", socket*4, socket*4+3, socket*4+8, socket*4+11),
		} {
			files[cpuFile(cpu, name)] = text + "\n"
		}
	}
	for node, distances := range []string{"10 21\n", "21 10\n"} {
		dir := fmt.Sprintf("%s/node%d/", nodeDir, node)
		files[dir+"cpulist"] = fmt.Sprintf("%d-%d,%d-%d\n", node*4, node*4+3, node*4+8, node*4+11)
		files[dir+"distance"] = distances
		files[dir+"meminfo"] = fmt.Sprintf("Node %d MemTotal: 2048 kB\nNode %d MemFree: 10%d kB\nNode %d HugePages_Total: 4\nNode %d HugePages_Free: 2\n", node, node, node, node, node)
	}
	return files
}

func TestInventoryOfServer(t *testing.T) {
	i, err := readInventory(machine(server()))
	if err != nil {
		t.Fatal(err)
	}
	cpu := CPUInventory{
		Online: 16, Cores: 8, Sockets: 2, ThreadsPerCore: 2, SMT: "on",
		Caches:      []Cache{{1, "Data", 48 << 10, 2}, {3, "Unified", 36 << 20, 8}},
		Driver:      "intel_pstate",
		Governors:   []Shared{{"powersave", 13}, {"performance", 3}},
		Preferences: []Shared{{"balance_performance", 16}},
		MinMHz:      800, MaxMHz: 3515, Turbo: "on", IdleDriver: "intel_idle", Isolated: "14-15",
	}
	nodes := []NUMANode{
		{0, "0-3,8-11", 2 << 20, 100 << 10, 4, 2, []int{10, 21}},
		{1, "4-7,12-15", 2 << 20, 101 << 10, 4, 2, []int{21, 10}},
	}
	memory := MemoryOf{
		Total: 4 << 20, Available: 2 << 20, HugePageSize: 2 << 20, HugePages: 7, HugePagesFree: 5, HugePagesRsvd: 2,
		THP: "madvise", THPDefrag: "defer+madvise", SwapTotal: 1 << 20, SwapUsed: 24 << 10, Zswap: "Y",
	}
	for _, c := range []struct{ got, want any }{
		{i.CPU, cpu},
		{i.Nodes, nodes},
		{i.Memory, memory},
		{i.Swap, []SwapArea{{"/dev/sda2", "partition", 1000 << 10, 20 << 10}, {"/swap file (deleted)", "file", 24 << 10, 4 << 10}}},
		{i.Load, LoadAverage{1.5, 0.25, 0.05, 3, 412}},
		{i.Sysctl, []Setting{{"vm.dirty_ratio", "20"}, {"vm.swappiness", "60"}, {"kernel.sem", "32000 1024000000 500 32000"}}},
		{i.Mitigations, []Setting{{"spectre_v2", "Mitigation: Enhanced / Automatic IBRS"}}},
		{i.Clock, "hpet"},
		{i.Clocks, []string{"hpet", "acpi_pm"}},
		{i.Hostname, "db-1"},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%T is\n%+v, want\n%+v", c.got, c.got, c.want)
		}
	}
}

func TestTurbo(t *testing.T) {
	for _, tc := range []struct{ noTurbo, boost, want string }{
		{"0", "", "on"}, {"1", "", "off"}, {"1", "1", "off"}, {"", "1", "on"}, {"", "0", "off"}, {"", "", ""},
	} {
		files := map[string]string{sysfs.CPUs + "/online": "0"}
		if tc.noTurbo != "" {
			files[sysfs.CPUs+"/intel_pstate/no_turbo"] = tc.noTurbo
		}
		if tc.boost != "" {
			files[sysfs.CPUs+"/cpufreq/boost"] = tc.boost
		}
		if got := turbo(machine(files)); got != tc.want {
			t.Errorf("no_turbo %q, boost %q: %q, want %q", tc.noTurbo, tc.boost, got, tc.want)
		}
	}
}

func TestLimits(t *testing.T) {
	text := `Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max stack size            8388608              unlimited            bytes     
Max processes             96365                96365                processes 
Max open files            1024                 524288               files     
Max locked memory         unlimited            unlimited            bytes     
Max nice priority         0                    0                    
`
	want := []Setting{
		{"max stack size", "8388608 bytes soft, unlimited hard"},
		{"max processes", "96365 processes"},
		{"max open files", "524288 files hard"},
		{"max locked memory", "unlimited"},
	}
	if got := parseLimits(text); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestParseRanges(t *testing.T) {
	for text, want := range map[string][]int{
		"": nil, "\n": nil, "0": {0}, "0-2,8\n": {0, 1, 2, 8}, "3,1": {3, 1},
	} {
		if got, err := ParseRanges(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "1-", "-1", "2-1", "0-65536", "0-9999999999999999999", "1,,2"} {
		if got, err := ParseRanges(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

func TestRanges(t *testing.T) {
	for want, list := range map[string][]int{
		"": nil, "0": {0}, "0-3": {3, 1, 2, 0}, "0,2,4-5": {0, 2, 4, 5}, "7-8,10": {10, 8, 7},
	} {
		if got := Ranges(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
