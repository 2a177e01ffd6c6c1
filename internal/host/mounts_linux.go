package host

import (
	"fmt"
	"os"
	"strings"
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
	for line := range strings.Lines(string(text)) {
		if m, ok := parseMount(line); ok {
			mounts = append(mounts, m.Filesystem)
		}
	}
	return mounts, nil
}
