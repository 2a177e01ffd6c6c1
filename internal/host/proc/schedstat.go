package proc

import (
	"bytes"
	"errors"
)

// RunDelay reads /proc/schedstat (Documentation/scheduler/sched-stats.rst): the sum of run_delay in nanoseconds over the CPUs, and how
// many they are. It is the eighth number of a CPU's line, in versions 14 to 17.
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

var errNoRunDelay = errors.New("has no line of a CPU with nine numbers")
