//go:build linux

package kernel

import (
	"bytes"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
	"plinth/internal/telemetry"
)

// between reads a captured machine at both moments, as if they were a second apart. Its
// owners are two of its processes.
func between(t *testing.T, machine string, disks ...string) (columns map[string]float64, why map[string]string) {
	t.Helper()
	first, later := hosttest.Machine(t, machine)
	root := t.TempDir()
	unpack(t, first, root)
	pid := func(name string) func() int {
		return func() int {
			link, _ := os.Readlink(filepath.Join(root, "run/process", name))
			n, _ := strconv.Atoi(filepath.Base(link))
			return n
		}
	}
	lane := Lane(Options{Root: root, Disks: disks, Owners: map[string]func() int{"server": pid("data"), "generator": pid("burner")}})
	var all []*reading
	for _, source := range lane.Sources {
		defer source.Close()
		r := &reading{t, source, telemetry.NewBoard(source.Name()), time.Unix(1000, 0)}
		all = append(all, r)
		r.mustRead()
	}
	for name, file := range later {
		if then := first[name]; file.Mode.IsRegular() && readByUs.MatchString(name) && (then == nil || !bytes.Equal(then.Data, file.Data)) {
			put(t, root, name, string(file.Data))
		}
	}
	columns, why = map[string]float64{}, map[string]string{}
	for _, missing := range lane.Missing {
		why[missing.Name+".*"] = strings.ReplaceAll(missing.Why, root, "")
	}
	for _, r := range all {
		r.mustRead()
		found, gaps := r.cut()
		for name, values := range found {
			columns[name] = values[0]
		}
		for _, gap := range gaps {
			for _, name := range gap.Columns {
				why[name] = gap.Why
			}
		}
	}
	return columns, why
}

// TestCapturedMachines checks columns of captured machines against the loads, which the
// machines' comments describe. Bounds are wide: the test checks that each load shows in the
// right column.
func TestCapturedMachines(t *testing.T) {
	type bound struct{ least, most float64 }
	zero := bound{0, 0}
	for _, test := range []struct {
		machine string
		disks   []string
		columns map[string]bound
		why     map[string]string
		without []string // prefixes of columns that must be absent
	}{
		{
			machine: "numa-md", disks: []string{"nvme0n1", "md0", "sda"},
			columns: map[string]bound{
				"stat.cpu7.busy": {0.1, 1}, "stat.cpu0.busy": {0.5, 2.3}, "stat.cpu.user": {1, 2}, "stat.ctxt": {1000, 5000},
				"schedstat.run_delay": {0.1, 1}, "pressure.io.some": {0.01, 1}, "pressure.cpu.full": zero,
				"numastat.node0.numa_hit": {1000, 5000}, "numastat.node1.numa_hit": {20000, 30000}, "numastat.node1.other_node": zero,
				"diskstats.md0.writes": {100, 150}, "diskstats.md0.write_latency": {0.001, 0.01}, "diskstats.md0.flushes": zero,
				"diskstats.nvme0n1.flushes": {10, 20}, "diskstats.nvme0n1.flush_latency": {0.001, 0.01}, "diskstats.sda.writes": zero,
				"cgroup.cpu.usage": {2, 3}, "cgroup.cpu.nr_throttled": {1, 5}, "cgroup.memory.limit": {128 << 20, 128 << 20},
				"cgroup.memory.current": {16 << 20, 128 << 20}, "cgroup.pressure.cpu.some": {0.001, 1},
				"process.generator.cpu": {2, 2.3}, "process.generator.system": {0, 0.1}, "process.server.write_bytes": {4 << 20, 8 << 20},
				"process.server.processes": {1, 1}, "process.others.cpu": {0.1, 2}, "meminfo.HugePages_Total": {1, 100},
			},
			why:     map[string]string{"cpufreq.*": errNoFrequency.Error()},
			without: []string{"stat.cpu8.", "numastat.node2."},
		},
		{
			machine: "cgroup1", disks: []string{"vda", "sda", "nvme0n1"},
			columns: map[string]bound{
				"stat.cpu1.busy": {0.9, 1.1}, "cgroup.cpu.usage": {2, 3}, "cgroup.cpu.throttled": {1, 3}, "cgroup.cpu.nr_throttled": {10, 40},
				"cgroup.memory.limit": {48 << 20, 48 << 20}, "cgroup.memory.current": {16 << 20, 48 << 20}, "cgroup.io.write_bytes": {1 << 20, 1 << 20},
				"cgroup.io.reads": {2, 2}, "cgroup.pressure.memory.some": {0.1, 0.2}, "schedstat.run_delay": {3, 5},
				"diskstats.vda.write_bytes": {40e6, 50e6}, "diskstats.sda.writes": {20, 30}, "process.server.write_bytes": {67108864, 67108864},
			},
			why: map[string]string{
				"pressure.cpu.full":       "this kernel does not report it",
				"diskstats.nvme0n1.reads": "/proc/diskstats does not list this disk",
			},
			without: []string{"stat.cpu2.", "numastat.node1."},
		},
		{
			machine: "small", disks: []string{"vda"},
			columns: map[string]bound{
				"stat.cpu0.busy": {0.5, 2.2}, "diskstats.vda.utilisation": {1, 2.2}, "diskstats.vda.write_latency": {0.1, 0.2},
				"process.generator.cpu": {0.5, 2.2}, "netdev.lo.rx_bytes": zero, "vmstat.pgscan_kswapd": {0, 1e6},
			},
			why: map[string]string{
				"pressure.*": "/proc/pressure/memory does not exist",
				"cgroup.*":   errNoGroup.Error(),
			},
			without: []string{"stat.cpu1.", "pressure.", "cgroup."},
		},
	} {
		t.Run(test.machine, func(t *testing.T) {
			columns, why := between(t, test.machine, test.disks...)
			for name, want := range test.columns {
				if got, there := columns[name]; !there || !(got >= want.least && got <= want.most) {
					t.Errorf("%s is %v (%s), want %v to %v", name, got, why[name], want.least, want.most)
				}
			}
			for name, want := range test.why {
				if why[name] != want {
					t.Errorf("%s is missing because %q, want %q", name, why[name], want)
				}
			}
			names := slices.Collect(maps.Keys(columns))
			for _, prefix := range test.without {
				if i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, prefix) }); i >= 0 {
					t.Errorf("there is %s", names[i])
				}
			}
		})
	}
}

// TestCapturedMachinesAddUp checks on every machine that no value is negative, that CPU
// times add up to those of the machine, and that missing columns have a reason.
func TestCapturedMachinesAddUp(t *testing.T) {
	for _, machine := range hosttest.Names(t) {
		t.Run(machine, func(t *testing.T) {
			columns, why := between(t, machine, "vda")
			cpus, all := 0.0, 0.0
			for name, value := range columns {
				switch {
				case value < 0:
					t.Errorf("%s is %v", name, value)
				case math.IsNaN(value) && why[name] == "" && !strings.HasSuffix(name, "_latency"):
					t.Errorf("%s has neither value nor reason", name)
				}
				if strings.HasPrefix(name, "stat.cpu") && strings.HasSuffix(name, ".busy") {
					cpus += value
				}
			}
			for _, mode := range []string{"user", "nice", "system", "irq", "softirq", "steal"} {
				all += columns["stat.cpu."+mode]
			}
			if math.Abs(all-cpus) > 0.1 { // each is rounded down to ticks
				t.Errorf("all CPUs were busy for %v s, and their sum is %v s", all, cpus)
			}
		})
	}
}
