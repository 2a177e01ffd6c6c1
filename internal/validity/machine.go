package validity

import (
	"fmt"
	"strings"

	"plinth/internal/unit"
)

const (
	// stolen is the tolerated share of CPU time that the hypervisor gives to other virtual
	// machines ("steal", proc_stat(5)).
	stolen = 0.01
	// stalled is the tolerated share of the window in which some task waits for memory
	// (Documentation/accounting/psi.rst). Such waits add to latency.
	stalled = 0.01
	// swapped is the tolerated number of pages swapped in a run: 1 MiB, since a daemon that
	// wakes up swaps some back in.
	swapped = 256
	// throttled is the tolerated share of a run's CPU time that a quota withholds.
	throttled = 0.01
	// othersShare is the tolerated share of CPU time used by other processes. A CPU-bound
	// run loses it one for one, and 3 % is the default margin of verdicts.
	othersShare = 0.03
	// othersRate is the tolerated rate, in bytes per second, at which other processes read
	// and write. In pages of 8 KiB it is 128 accesses a second, about the limit of one hard
	// disk; the logging of a quiet system is far below.
	othersRate = unit.MiB
)

var machineReasons = []rule{{
	name:  "machine-touched",
	hint:  "do not change the machine while plinth measures",
	needs: []string{"changed"},
	check: func(c Case) string {
		if len(c.Run.Evidence.Changed) == 0 {
			return ""
		}
		return "another process or user changed the machine during the run: " + strings.Join(c.Run.Evidence.Changed, "; ")
	},
}}

var machineWarnings = []rule{
	{
		name:  "steal",
		hint:  "use dedicated CPUs, or measure when other virtual machines on the host are quiet",
		needs: []string{"machine.steal_s"},
		check: func(c Case) string {
			s := share(c.Run.Evidence.Machine.Steal, c.Run.Evidence.Machine.CPUTime())
			return above(s, stolen, "the hypervisor gave %s of the CPU time to other virtual machines (steal)", percent(s))
		},
	},
	{
		name:  "thermal",
		hint:  "check the cooling",
		needs: []string{"machine.thermal_events"},
		check: func(c Case) string {
			n := c.Run.Evidence.Machine.Thermal
			return above(float64(n), 0, "a CPU was throttled %s because of heat", unit.Count(n, "time"))
		},
	},
	{
		name:  "memory-pressure",
		hint:  "use smaller shared_buffers or fewer clients, or free some memory; reading back pages that the cache has dropped counts, too",
		needs: []string{"covered_s", "machine.memory_stall_s"},
		when:  unfilled,
		check: func(c Case) string {
			s := share(c.Run.Evidence.Machine.MemoryStall, c.Run.Evidence.Covered)
			return above(s, stalled, "processes waited for memory for %s of the time", percent(s))
		},
	},
	{
		name:  "swapping",
		hint:  "use smaller shared_buffers or fewer clients, or free some memory",
		needs: []string{"machine.swapped_in_pages", "machine.swapped_out_pages"},
		when:  unfilled,
		check: func(c Case) string {
			m := c.Run.Evidence.Machine
			return above(float64(m.SwapIn+m.SwapOut), swapped, "the machine swapped: %s in, %d out", unit.Count(m.SwapIn, "page"), m.SwapOut)
		},
	},
	{
		name:  "quota",
		hint:  "raise the CPU quota, unless it is part of what you measure",
		needs: []string{"covered_s", "machine.cpus", "machine.throttled_s"},
		check: func(c Case) string {
			s := throttledShare(*c.Run)
			return above(s, throttled, "a CPU quota withheld %s of the CPU time", percent(s))
		},
	},
	{
		name:  "others-cpu",
		hint:  "stop the machine's other processes; top lists them",
		needs: []string{"load_s", "machine.cpus", "machine.others_cpu_s"},
		check: func(c Case) string {
			e := c.Run.Evidence
			s := share(e.Machine.Others, e.Load*float64(e.Machine.CPUs))
			return above(s, othersShare, "processes outside the experiment used %s of %s (%s of CPU time)",
				percent(s), unit.Count(int64(e.Machine.CPUs), "CPU"), seconds(e.Machine.Others))
		},
	},
	{
		name:  "others-io",
		hint:  "stop other processes that use the disks; iotop lists them",
		needs: []string{"load_s", "machine.others_io_bytes"},
		check: func(c Case) string {
			rate := share(float64(c.Run.Evidence.Machine.OthersIO), c.Run.Evidence.Load)
			return above(rate, float64(othersRate), "processes outside the experiment read and wrote %s/s on disks", unit.Size(rate))
		},
	},
}

// unfilled reports whether no background load was requested that fills memory. With one,
// waiting for memory is part of what is measured.
func unfilled(c Case) bool {
	return c.Environment.Pressure == nil || c.Environment.Pressure.Memory == 0
}

// above returns the formatted text if figure exceeds most, else "".
func above(figure, most float64, format string, args ...any) string {
	if !(figure > most) {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

var serverReasons = []rule{{
	name:  "server-restarted",
	hint:  "check the server's log for the cause",
	needs: []string{"server.restarted"},
	check: func(c Case) string {
		if !c.Run.Evidence.Server.Restarted {
			return ""
		}
		return "the server restarted during the run: it lost its caches and connections"
	},
}}
