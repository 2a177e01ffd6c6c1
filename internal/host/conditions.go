package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Conditions maps names to settings of the machine that another user or program may change
// during an experiment, such as "governor": "performance". Settings that this machine does
// not have are left out.
type Conditions map[string]string

// Changes lists the settings that differ in later, sorted: "swap: off then, /dev/vda2 now". A disk that
// was attached or removed in the meantime is not among them: on a Kubernetes node, volumes of other
// pods come and go.
func (c Conditions) Changes(later Conditions) []string {
	names := maps.Clone(c)
	if names == nil {
		names = Conditions{}
	}
	maps.Copy(names, later)
	var all []string
	for name := range names {
		_, before := c[name]
		_, after := later[name]
		if before != after && ofDisk(name) {
			continue
		}
		if then, now := c.value(name), later.value(name); then != now {
			all = append(all, fmt.Sprintf("%s: %s then, %s now", name, then, now))
		}
	}
	slices.Sort(all)
	return all
}

// diskSettings are the settings of each disk; its name precedes them.
var diskSettings = []string{"scheduler", "read_ahead_kb"}

// ofDisk reports whether a setting is that of a disk.
func ofDisk(name string) bool {
	_, setting, found := strings.Cut(name, " ")
	return found && slices.Contains(diskSettings, setting)
}

func (c Conditions) value(name string) string {
	if value, there := c[name]; there {
		return value
	}
	return "absent"
}
