package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// swapped is pages read from and written to swap since boot.
type swapped struct{ in, out int64 }

// readSwapped reads /proc/vmstat, which procfs does not.
func readSwapped(root fs.FS) (swapped, error) {
	text, err := fs.ReadFile(root, "proc/vmstat")
	if err != nil {
		return swapped{}, err
	}
	return parseVMStat(string(text))
}

// parseVMStat finds pswpin and pswpout, which a kernel without swap does not
// count.
func parseVMStat(text string) (swapped, error) {
	s := swapped{-1, -1}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "pswpin" && name != "pswpout" {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			return swapped{}, fmt.Errorf("/proc/vmstat: %s is %q", name, value)
		}
		if name == "pswpin" {
			s.in = n
		} else {
			s.out = n
		}
	}
	if s.in < 0 || s.out < 0 {
		return swapped{}, fmt.Errorf("/proc/vmstat counts no swapping: the kernel has no swap")
	}
	return s, nil
}
