package host

import (
	"errors"
	"io/fs"
	"math"

	"plinth/internal/host/proc"
)

// swapped is pages read from and written to swap since boot.
type swapped struct{ in, out int64 }

// readSwapped reads /proc/vmstat.
func readSwapped(root fs.FS) (swapped, error) {
	text, err := fs.ReadFile(root, "proc/vmstat")
	if err != nil {
		return swapped{}, err
	}
	return parseSwapped(text)
}

var swapping = proc.NewKeyed("pswpin", "pswpout")

// parseSwapped finds pswpin and pswpout, which a kernel without swap does not count.
func parseSwapped(text []byte) (swapped, error) {
	var n [2]proc.Value
	if err := swapping.Parse(text, n[:]); err != nil || !n[0].There || !n[1].There || max(n[0].N, n[1].N) > math.MaxInt64 {
		return swapped{}, errors.New("/proc/vmstat counts no swapping: the kernel has no swap")
	}
	return swapped{int64(n[0].N), int64(n[1].N)}, nil
}
