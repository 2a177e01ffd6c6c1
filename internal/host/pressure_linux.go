package host

import (
	"errors"
	"os"
	"path/filepath"

	"plinth/internal/host/proc"
)

// readMemoryStall is the seconds since boot in which at least one task waited
// for memory (/proc/pressure/memory, Documentation/accounting/psi.rst).
func readMemoryStall(root string) (float64, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/pressure/memory"))
	if err != nil {
		return 0, err
	}
	totals, err := proc.Pressure(text)
	if err != nil {
		return 0, errors.New("/proc/pressure/memory has no line that begins with some")
	}
	return float64(totals[0].N) / 1e6, nil // microseconds
}
