package host

import (
	"fmt"
	"maps"
	"slices"
)

// Conditions maps names to settings of the machine that another user or program may change
// during an experiment, such as "governor": "performance". Settings that this machine does
// not have are left out.
type Conditions map[string]string

// Changes lists the settings that differ in later, sorted: "swap: off then, /dev/vda2 now".
func (c Conditions) Changes(later Conditions) []string {
	names := maps.Clone(c)
	if names == nil {
		names = Conditions{}
	}
	maps.Copy(names, later)
	var all []string
	for name := range names {
		if then, now := c.value(name), later.value(name); then != now {
			all = append(all, fmt.Sprintf("%s: %s then, %s now", name, then, now))
		}
	}
	slices.Sort(all)
	return all
}

func (c Conditions) value(name string) string {
	if value, there := c[name]; there {
		return value
	}
	return "absent"
}
