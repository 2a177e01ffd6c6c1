package validity

import (
	"fmt"
	"time"

	"plinth/internal/record"
)

const (
	// lateShare and lateSlack are by how much operations of a run may be late on
	// average, of the model's median: whichever is more. Percentiles of lateness
	// only warn: a second in which the machine stood still makes them, and is seen in
	// the latencies of the run as well.
	lateShare = 0.10
	lateSlack = 50 * time.Microsecond
	// tailShare and tailSlack are the same for the 99th percentile.
	tailShare = 0.25
	tailSlack = 500 * time.Microsecond
	// emulatorCores is how much CPU, in cores, may be left over at the least before
	// the emulator takes some from the server, and how much it must have used to matter.
	emulatorCores = 0.1
)

func emulated(c Case) bool { return len(c.Run.Calibrations) > 0 }

var emulationReasons = []rule{
	{
		name: "emulation-unproven",
		hint: "let nothing else use the machine or the disk behind the emulated device; plinth devices NAME shows its model",
		when: emulated,
		check: func(c Case) string {
			return worst(c.Run.Calibrations, func(p record.Calibration) string {
				for _, one := range []struct {
					what                      string
					expected, measured, bound int64
				}{{"read", p.ExpectedRead, p.MeasuredRead, p.BoundRead}, {"write", p.ExpectedWrite, p.MeasuredWrite, p.BoundWrite}} {
					if one.expected == 0 {
						continue // nothing is added to what the path takes
					}
					if off := one.measured - one.expected; max(off, -off) > one.bound {
						return fmt.Sprintf("just before the run a %s of the emulated %s device took %s, and its model says %s",
							one.what, p.Role, nanoseconds(one.measured), nanoseconds(one.expected))
					}
				}
				return ""
			})
		},
	},
	{
		name: "emulation-late",
		hint: "fewer clients, a slower model or emulated_rates: fit; or put the file behind the device into memory (backing: /dev/shm)",
		when: emulated,
		check: func(c Case) string {
			return worst(c.Run.Calibrations, func(p record.Calibration) string {
				if aheadBy(p) == 0 || float64(p.LateMean) <= max(lateShare*float64(aheadBy(p)), float64(lateSlack)) {
					return ""
				}
				return fmt.Sprintf("the emulated %s device was late by %s on average, where its model says %s",
					p.Role, nanoseconds(p.LateMean), nanoseconds(aheadBy(p)))
			})
		},
	},
}

var emulationWarnings = []rule{
	{
		name: "emulation-tail",
		hint: "leave a CPU to the emulator: limits.cpus bounds the server",
		when: emulated,
		check: func(c Case) string {
			return worst(c.Run.Calibrations, func(p record.Calibration) string {
				if aheadBy(p) == 0 || float64(p.LateP99) <= max(tailShare*float64(aheadBy(p)), float64(tailSlack)) {
					return ""
				}
				return fmt.Sprintf("one in a hundred operations of the emulated %s device was late by %s or more", p.Role, nanoseconds(p.LateP99))
			})
		},
	},
	{
		name:  "emulator-competes",
		hint:  "leave a CPU to the emulator: limits.cpus bounds the server",
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
			return fmt.Sprintf("the emulated devices used %.2g cores while all %d were busy: the server would have had them",
				cores, c.Run.Evidence.Machine.CPUs)
		},
	},
}

// aheadBy is the model's time of the aheadBy of the operations that it delays; 0 for
// a device that adds nothing, and so is never late.
func aheadBy(p record.Calibration) int64 {
	if p.ExpectedRead == 0 || p.ExpectedWrite == 0 {
		return max(p.ExpectedRead, p.ExpectedWrite)
	}
	return min(p.ExpectedRead, p.ExpectedWrite)
}

// worst is what is said of the first proof of which something is said.
func worst(proofs []record.Calibration, say func(record.Calibration) string) string {
	for _, p := range proofs {
		if text := say(p); text != "" {
			return text
		}
	}
	return ""
}

func nanoseconds(ns int64) string {
	return time.Duration(ns).Round(time.Microsecond).String()
}
