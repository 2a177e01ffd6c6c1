package inspect

import (
	"fmt"
	"slices"
	"strings"
)

var cpuRules = []rule{
	{
		name: "clock-source", weight: 68, about: ofGenerator, check: slowClock,
		benchmark:  "asking for the time takes a microsecond or more instead of 25 ns, and pgbench and the server ask for each transaction; jiffies cannot even tell less than some milliseconds apart",
		production: "track_io_timing, EXPLAIN ANALYZE and every now() pay for it",
		do:         "echo {} > /sys/devices/system/clocksource/clocksource0/current_clocksource",
	},
	{
		name: "governor", weight: 65, about: ofGenerator, check: governor,
		benchmark:  "short transactions end while the clock still speeds up: numbers follow the load, not what is compared",
		production: "latency is highest when there is little to do",
		do:         "cpupower frequency-set -g performance",
	},
	{
		name: "smt", weight: 17, about: ofGenerator, check: smt,
		benchmark: "two busy threads on one core are worth about 1.3 cores: throughput bends where the cores end, and a load generator on the other half slows the server",
		do:        "keep the server and the load generator on different cores (taskset -c, or AllowedCPUs= of the unit)",
	},
	{
		name: "frequency-unknown", weight: 14, about: ofGenerator, check: frequencyUnknown,
		benchmark: "the hypervisor sets the clock, and neighbours share it: compare only what ran in turns, as plinth run does",
		do:        "plinth aa: it measures how far this machine is from itself",
	},
	{
		name: "turbo", weight: 13, about: ofGenerator, check: turbo,
		benchmark: "the clock depends on the temperature and on how many cores are busy: the first minutes are the fastest",
		do:        "for a benchmark: echo 0 > /sys/devices/system/cpu/cpufreq/boost; leave it on in production",
	},
}

// slowClocks are the sources that are read outside of the CPU, or that only count
// the timer's ticks.
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
	e.do = "dmesg | grep -i -e tsc -e clocksource: it says why the kernel does not trust the TSC"
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
	return found("this is a virtual machine (%s): the clock of its CPUs cannot be seen", in.Machine.Virtualisation)
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
	if c.Driver == "intel_pstate" {
		e.do = fmt.Sprintf("for a benchmark: echo 1 > /sys/devices/system/cpu/%s/no_turbo; leave it on in production", c.Driver)
	}
	return e
}
