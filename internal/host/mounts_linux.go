package host

import (
	"fmt"
	"os"

	"plinth/internal/host/proc"
)

// Mounts are all mounts that this process sees, in the order in which they were
// made: the last one with a mount point hides those before it. No filesystem is
// asked, so that one that hangs does not matter.
func Mounts() ([]Filesystem, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("cannot read what is mounted: %w", err)
	}
	var mounts []Filesystem
	for _, m := range proc.Mounts(string(text)) {
		mounts = append(mounts, mounted(m))
	}
	return mounts, nil
}
