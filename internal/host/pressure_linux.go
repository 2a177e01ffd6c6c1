package host

import (
	"errors"

	"github.com/prometheus/procfs"
)

// readMemoryStall is the seconds since boot in which at least one task waited
// for memory (/proc/pressure/memory, Documentation/accounting/psi.rst).
func readMemoryStall(proc procfs.FS) (float64, error) {
	pressure, err := proc.PSIStatsForResource("memory")
	if err != nil {
		return 0, err
	}
	if pressure.Some == nil {
		return 0, errors.New("/proc/pressure/memory has no line that begins with some")
	}
	return float64(pressure.Some.Total) / 1e6, nil // microseconds
}
