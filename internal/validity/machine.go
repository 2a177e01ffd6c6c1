package validity

import (
	"fmt"
	"strings"

	"plinth/internal/unit"
)

const (
	// stolen is the share of the CPU time that a hypervisor may give to others
	// ("steal", proc_stat(5)) before the machine is not the one that was paid for.
	stolen = 0.01
	// stalled is the share of the window in which some task may wait for memory
	// (Documentation/accounting/psi.rst): each such moment is a latency.
	stalled = 0.01
	// swapped is how many pages may be swapped in a run: 1 MiB, since a daemon that
	// wakes up now and then brings some back.
	swapped = 256
	// throttled is the share of the CPU time of a run that a quota may hold back.
	throttled = 0.01
	// othersShare is the share of the CPU time that others may use. A run that is
	// bound by CPU loses it one for one, and 3 % is the margin that verdicts are
	// made by unless said.
	othersShare = 0.03
	// othersRate is how much others may read and write a second. In pages of 8 KiB
	// it is 128 accesses a second, which is all that one hard disk can do; what a
	// quiet system logs is far below.
	othersRate = unit.MiB
)

var machineReasons = []rule{{
	name:  "machine-touched",
	hint:  "let nobody change the machine while it is measured",
	needs: []string{"changed"},
	check: func(c Case) string {
		if len(c.Run.Evidence.Changed) == 0 {
			return ""
		}
		return "somebody else changed the machine during the run: " + strings.Join(c.Run.Evidence.Changed, "; ")
	},
}}

var machineWarnings = []rule{
	{
		name:  "steal",
		hint:  "ask for CPUs of your own, or measure when the neighbours are quiet",
		needs: []string{"machine.steal_s"},
		check: func(c Case) string {
			s := share(c.Run.Evidence.Machine.Steal, cpuTime(c))
			return above(s, stolen, "the hypervisor gave %s of the CPU time to others", percent(s))
		},
	},
	{
		name:  "thermal",
		hint:  "see to the cooling",
		needs: []string{"machine.thermal_events"},
		check: func(c Case) string {
			n := c.Run.Evidence.Machine.Thermal
			return above(float64(n), 0, "a CPU was slowed down for its heat %s", unit.Count(n, "time"))
		},
	},
	{
		name:  "memory-pressure",
		hint:  "lower shared_buffers or the clients, or free some memory",
		needs: []string{"covered_s", "machine.memory_stall_s"},
		when:  unfilled,
		check: func(c Case) string {
			s := share(c.Run.Evidence.Machine.MemoryStall, c.Run.Evidence.Covered)
			return above(s, stalled, "something waited for memory for %s of the time", percent(s))
		},
	},
	{
		name:  "swapping",
		hint:  "lower shared_buffers or the clients, or free some memory",
		needs: []string{"machine.swapped_in_pages", "machine.swapped_out_pages"},
		when:  unfilled,
		check: func(c Case) string {
			m := c.Run.Evidence.Machine
			return above(float64(m.SwapIn+m.SwapOut), swapped, "the machine swapped: %s in, %d out", unit.Count(m.SwapIn, "page"), m.SwapOut)
		},
	},
	{
		name:  "quota",
		hint:  "raise the CPU quota, unless it is what you measure",
		needs: []string{"covered_s", "machine.cpus", "machine.throttled_s"},
		check: func(c Case) string {
			s := throttledShare(*c.Run)
			return above(s, throttled, "a CPU quota held back %s of the CPU time", percent(s))
		},
	},
	{
		name:  "others-cpu",
		hint:  "stop what else runs here; top shows it",
		needs: []string{"load_s", "machine.cpus", "machine.others_cpu_s"},
		check: func(c Case) string {
			e := c.Run.Evidence
			s := share(e.Machine.Others, e.Load*float64(e.Machine.CPUs))
			return above(s, othersShare, "processes that are no part of the experiment used %s of %s (%s of CPU time)",
				percent(s), unit.Count(int64(e.Machine.CPUs), "CPU"), seconds(e.Machine.Others))
		},
	},
	{
		name:  "others-io",
		hint:  "stop what else uses the disks; iotop shows it",
		needs: []string{"load_s", "machine.others_io_bytes"},
		check: func(c Case) string {
			rate := share(float64(c.Run.Evidence.Machine.OthersIO), c.Run.Evidence.Load)
			return above(rate, float64(othersRate), "processes that are no part of the experiment read and wrote %s/s on disks", unit.Size(rate))
		},
	},
}

// unfilled says whether no neighbour was asked to fill memory: to wait for memory is
// then what is measured.
func unfilled(c Case) bool {
	return c.Environment.Pressure == nil || c.Environment.Pressure.Memory == 0
}

// above is the text when a figure is more than it may be.
func above(figure, most float64, format string, args ...any) string {
	if !(figure > most) {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

var serverReasons = []rule{{
	name:  "server-restarted",
	hint:  "see the server's log for why",
	needs: []string{"server.restarted"},
	check: func(c Case) string {
		if !c.Run.Evidence.Server.Restarted {
			return ""
		}
		return "the server was restarted during the run: its caches were empty, its connections lost"
	},
}}
