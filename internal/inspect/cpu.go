package inspect

import (
	"slices"
	"strings"

	"plinth/internal/host"
)

var cpuRules = []rule{
	{
		name: "clock-source", weight: 68, about: ofGenerator, check: slowClock,
		benchmark:  "reading the clock takes a microsecond or more instead of 25 ns, and pgbench and the server read it for each transaction; jiffies, the coarsest clock source, advance only every few milliseconds",
		production: "track_io_timing, EXPLAIN ANALYZE and every now() become slower",
		do:         "echo {} > /sys/devices/system/clocksource/clocksource0/current_clocksource",
	},
	{
		name: "governor", weight: 65, about: ofGenerator, check: governor,
		benchmark:  "short transactions end before the CPU reaches its full frequency: results depend more on how busy the CPUs are than on the difference under test",
		production: "latency is highest when the load is low",
		do:         "cpupower frequency-set -g performance",
	},
	{
		name: "smt", weight: 17, about: ofGenerator, check: smt,
		benchmark: "two busy threads on one core do the work of about 1.3 cores: throughput flattens once all cores are busy, and a load generator on the sibling threads slows the server",
		do:        "run the server and the load generator on different cores (taskset -c, or AllowedCPUs= in the unit)",
	},
	{
		name: "frequency-unknown", weight: 14, about: ofGenerator, check: frequencyUnknown,
		benchmark: "the hypervisor sets the CPU frequency, and neighbours share it: compare only interleaved runs, as plinth run does",
		do:        "plinth aa: it measures how much identical runs differ on this machine",
	},
	{
		name: "turbo", weight: 13, about: ofGenerator, check: turbo,
		benchmark: "the CPU frequency depends on the temperature and on the number of busy cores: the first minutes are the fastest",
		do:        "for a benchmark: echo 0 > /sys/devices/system/cpu/cpufreq/boost; leave it on in production",
	},
}

// slowClocks lists the clock sources that are read from outside the CPU, or that only count timer
// ticks.
var slowClocks = []string{"jiffies", "refined-jiffies", "hpet", "acpi_pm", "pit", "xen"}

func slowClock(in *Input) evidence {
	if !slices.Contains(slowClocks, in.Machine.Clock) {
		return nothing
	}
	e := found("the clock source is %s", in.Machine.Clock)
	for _, better := range []string{"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"} {
		if slices.Contains(in.Machine.Clocks, better) {
			return e.on(better)
		}
	}
	e.do = "dmesg | grep -i -e tsc -e clocksource: it shows why the kernel does not trust the TSC"
	return e
}

func governor(in *Input) evidence {
	var slow []string
	cpus, all := 0, 0
	for _, g := range in.Machine.CPU.Governors {
		all += g.CPUs
		if g.Value != "performance" {
			slow, cpus = append(slow, g.Value), cpus+g.CPUs
		}
	}
	if cpus == 0 {
		return nothing
	}
	return found("governor is %s on %d of %d CPUs", strings.Join(slow, " or "), cpus, all)
}

func smt(in *Input) evidence {
	c := in.Machine.CPU
	if c.ThreadsPerCore < 2 || c.Cores == 0 {
		return nothing
	}
	return found("%d CPUs are %s with %d threads each", c.Online, several(c.Cores, "core"), c.ThreadsPerCore)
}

func frequencyUnknown(in *Input) evidence {
	if in.Machine.Virtualisation == "" || in.Machine.CPU.Driver != "" {
		return nothing
	}
	return found("this is a virtual machine (%s): the frequency of its CPUs is not visible", in.Machine.Virtualisation)
}

func turbo(in *Input) evidence {
	c := in.Machine.CPU
	if c.Turbo != "on" {
		return nothing
	}
	e := found("turbo is on")
	if c.MaxMHz > 0 {
		e = found("turbo is on, up to %.1f GHz", c.MaxMHz/1000)
	}
	if c.Driver == "intel_pstate" || c.Driver == "intel_cpufreq" { // its passive mode
		e.do = "for a benchmark: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo; leave it on in production"
	}
	return e
}

var numaRules = []rule{
	{
		name: "zone-reclaim", weight: 60, about: ofMachine, check: zoneReclaim,
		benchmark:  "a NUMA node reclaims its page cache while another node has free memory",
		production: "data that would fit in memory is read from disk",
		do:         "sysctl -w vm.zone_reclaim_mode=0; to keep it across reboots, add it to /etc/sysctl.d",
	},
	{
		name: "numa-balancing", weight: 41, about: ofMachine, check: numaBalancing,
		benchmark:  "the kernel unmaps pages to see which node uses them, and migrates them: page faults and stalls at unpredictable times",
		production: "the same, above all for shared memory: all nodes use it, so no placement suits all of them",
		do:         "sysctl -w kernel.numa_balancing=0; to keep it across reboots, add it to /etc/sysctl.d",
	},
	{
		name: "numa-unpinned", weight: 39, about: ofMachine, check: numaUnpinned,
		benchmark:  "the placement of processes and their memory differs from start to start; in a published pgbench study, pinning to one node together with the performance governor gave 22 % more read-write TPS",
		production: "the same, if the server fits on one node; if it needs all of them, interleave its memory",
		do:         "numactl --cpunodebind=0 --membind=0 SERVER ... (NUMAPolicy= and NUMAMask= in the unit)",
	},
}

func zoneReclaim(in *Input) evidence {
	mode, known := in.sysctl("vm.zone_reclaim_mode")
	if !known || mode == 0 || len(in.Machine.Nodes) < 2 {
		return nothing
	}
	return found("vm.zone_reclaim_mode is %d on %d NUMA nodes", mode, len(in.Machine.Nodes))
}

func numaBalancing(in *Input) evidence {
	mode, known := in.sysctl("kernel.numa_balancing")
	if !known || mode == 0 || len(in.Machine.Nodes) < 2 {
		return nothing
	}
	return found("kernel.numa_balancing is %d on %d NUMA nodes", mode, len(in.Machine.Nodes))
}

func numaUnpinned(in *Input) evidence {
	nodes := in.Machine.Nodes
	if len(nodes) < 2 || in.CPUs == "" {
		return nothing
	}
	reached, farthest := 0, 10
	allowed, _ := host.ParseRanges(in.CPUs) // what cannot be read is no evidence
	for _, n := range nodes {
		cpus, _ := host.ParseRanges(n.CPUs)
		if slices.ContainsFunc(cpus, func(cpu int) bool { return slices.Contains(allowed, cpu) }) {
			reached++
		}
		farthest = max(farthest, slices.Max(append([]int{10}, n.Distances...)))
	}
	if reached < 2 {
		return nothing
	}
	return found("the server may run on %d of %d NUMA nodes; remote memory is up to %.1f times as distant as local memory",
		reached, len(nodes), float64(farthest)/10)
}
