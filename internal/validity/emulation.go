package validity

import (
	"fmt"
	"time"

	"plinth/internal/record"
)

const (
	// lateShare, of the model's median, and lateSlack limit the mean lateness of a run's
	// operations; the larger of the two applies. Percentiles of lateness only warn: a
	// one-second stall of the machine raises them, and shows in the run's latencies as
	// well.
	lateShare = 0.10
	lateSlack = 50 * time.Microsecond
	// tailShare and tailSlack limit the 99th percentile in the same way.
	tailShare = 0.25
	tailSlack = 500 * time.Microsecond
	// emulatorCores is the idle CPU, in cores, below which the emulator takes CPU time from
	// the server, and the CPU that the emulator must have used to matter.
	emulatorCores = 0.1
)

func emulated(c Case) bool { return len(c.Run.Calibrations) > 0 }

var emulationReasons = []rule{
	{
		name: "emulation-unproven",
		hint: "stop other load on the machine and on the disk behind the emulated device; plinth devices NAME shows its model",
		when: emulated,
		check: func(c Case) string {
			return first(c.Run.Calibrations, func(p record.Calibration) string {
				for _, one := range []struct {
					what                      string
					expected, measured, bound int64
				}{{"read", p.ExpectedRead, p.MeasuredRead, p.BoundRead}, {"write", p.ExpectedWrite, p.MeasuredWrite, p.BoundWrite}} {
					if one.expected == 0 {
						continue // the model adds no delay
					}
					if off := one.measured - one.expected; max(off, -off) > one.bound {
						return fmt.Sprintf("calibration before the run: a %s of the emulated %s device took %s, but its model specifies %s",
							one.what, p.Role, nanoseconds(one.measured), nanoseconds(one.expected))
					}
				}
				return ""
			})
		},
	},
	{
		name: "emulation-late",
		hint: "use fewer clients, a slower model or emulated_rates: fit; or keep the backing file in memory (backing: /dev/shm)",
		when: emulated,
		check: func(c Case) string {
			return first(c.Run.Calibrations, func(p record.Calibration) string {
				if modelled(p) == 0 || float64(p.LateMean) <= max(lateShare*float64(modelled(p)), float64(lateSlack)) {
					return ""
				}
				return fmt.Sprintf("operations of the emulated %s device completed %s late on average; its model specifies %s",
					p.Role, nanoseconds(p.LateMean), nanoseconds(modelled(p)))
			})
		},
	},
}

var emulationWarnings = []rule{
	{
		name: "emulation-tail",
		hint: "leave a CPU free for the emulator: set limits.cpus, so that the server uses fewer CPUs than the machine has",
		when: emulated,
		check: func(c Case) string {
			return first(c.Run.Calibrations, func(p record.Calibration) string {
				if modelled(p) == 0 || float64(p.LateP99) <= max(tailShare*float64(modelled(p)), float64(tailSlack)) {
					return ""
				}
				return fmt.Sprintf("1 %% of the operations of the emulated %s device were late by %s or more", p.Role, nanoseconds(p.LateP99))
			})
		},
	},
	{
		name:  "emulator-competes",
		hint:  "leave a CPU free for the emulator: set limits.cpus, so that the server uses fewer CPUs than the machine has",
		needs: []string{"covered_s", "load_s", "machine.cpus", "machine.idle_s"},
		when:  emulated,
		check: func(c Case) string {
			used := 0.0
			for _, p := range c.Run.Calibrations {
				used += p.CPU
			}
			idle, cores := share(idleTime(c), c.Run.Evidence.Covered), share(used, c.Run.Evidence.Load)
			if idle >= emulatorCores || cores <= emulatorCores {
				return ""
			}
			return fmt.Sprintf("the emulated devices used %.2g cores while all %d were busy: the server competed with the emulator for CPU",
				cores, c.Run.Evidence.Machine.CPUs)
		},
	},
}

// modelled returns the model's median latency, in nanoseconds, of reads or of writes,
// whichever is shorter and delayed; 0 for a device that adds no delay, which is never late.
func modelled(p record.Calibration) int64 {
	if p.ExpectedRead == 0 || p.ExpectedWrite == 0 {
		return max(p.ExpectedRead, p.ExpectedWrite)
	}
	return min(p.ExpectedRead, p.ExpectedWrite)
}

// first returns the first text that describe returns for one of the calibrations; "" if
// there is none.
func first(calibrations []record.Calibration, describe func(record.Calibration) string) string {
	for _, p := range calibrations {
		if text := describe(p); text != "" {
			return text
		}
	}
	return ""
}

func nanoseconds(ns int64) string {
	return time.Duration(ns).Round(time.Microsecond).String()
}
