package host

import (
	"fmt"
	"maps"
	"slices"
)

// Conditions are settings of the machine that somebody else may change while an
// experiment goes on, by name, such as "governor": "performance". A setting that
// this machine does not have is left out.
type Conditions map[string]string

// Changes says in words what is not the same in later, sorted: "swap: off then,
// /dev/vda2 now".
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
	return "not there"
}
