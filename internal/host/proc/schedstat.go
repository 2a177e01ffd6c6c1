package proc

import (
	"bytes"
	"errors"
)

// RunDelay parses /proc/schedstat (Documentation/scheduler/sched-stats.rst): the sum of
// run_delay over the CPUs in nanoseconds, and their number. It is the eighth number of a CPU's
// line, in versions 14 to 17.
func RunDelay(text []byte) (delay uint64, cpus int, err error) {
	for len(text) > 0 {
		var line []byte
		line, text = CutLine(text)
		name, numbers := CutWord(line)
		if !bytes.HasPrefix(name, []byte("cpu")) {
			continue
		}
		var fields [9]uint64
		if CutNumbers(numbers, fields[:]) < len(fields) {
			return 0, 0, errNoRunDelay
		}
		delay += fields[7]
		cpus++
	}
	if cpus == 0 {
		return 0, 0, errNoRunDelay
	}
	return delay, cpus, nil
}

var errNoRunDelay = errors.New("has no CPU line with nine numbers")

// Schedstat holds a thread's times since it began. The kernel updates Running at least every
// tick, some milliseconds; it adds a wait when the wait ends.
type Schedstat struct {
	Running uint64 // nanoseconds on a CPU
	Waiting uint64 // nanoseconds in a run queue, ready to run
	Slices  uint64 // how often it was given a CPU
}

// ParseSchedstat parses the schedstat of a process or a thread
// (Documentation/scheduler/sched-stats.rst); false if text is invalid.
func ParseSchedstat(text []byte) (Schedstat, bool) {
	line, _ := CutLine(text)
	var n [3]uint64
	if CutNumbers(line, n[:]) < len(n) {
		return Schedstat{}, false
	}
	return Schedstat{n[0], n[1], n[2]}, true
}
