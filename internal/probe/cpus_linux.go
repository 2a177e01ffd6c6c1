package probe

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// allowedCPUs are those that plinth may run on.
func allowedCPUs() unix.CPUSet {
	var set unix.CPUSet
	_ = unix.SchedGetaffinity(0, &set) // of this thread: it cannot fail
	return set
}

// within are the CPUs of a list such as "0-7,16" that are allowed.
func within(list string, allowed unix.CPUSet) unix.CPUSet {
	var set unix.CPUSet
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		begin, err := strconv.Atoi(first)
		end := begin
		if isRange && err == nil {
			end, err = strconv.Atoi(last)
		}
		for cpu := begin; err == nil && cpu <= end; cpu++ {
			if allowed.IsSet(cpu) {
				set.Set(cpu)
			}
		}
	}
	return set
}

// worker is a node with CPUs that may be used.
type worker struct {
	node int
	cpus unix.CPUSet
}

// run keeps this thread on the CPUs of the node.
func (w worker) run() error {
	if err := unix.SchedSetaffinity(0, &w.cpus); err != nil {
		return fmt.Errorf("cannot run on the CPUs of node %d: %w", w.node, err)
	}
	return nil
}
