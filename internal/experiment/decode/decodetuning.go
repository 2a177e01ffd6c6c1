package decode

import (
	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/profile"
	"plinth/internal/strictyaml"
)

// mostTuned is the maximum number of nodes of a tuning item, keys included: more than there are knobs.
const mostTuned = 10_000

// tuning reads one tuning item: a scalar is the name of a profile or of its file; a mapping is a
// profile if it has a key of one, and otherwise values by knob.
func (d *decoder) tuning(n *yaml.Node, into *experiment.Tuning, where string) bool {
	switch {
	case oneWord(n) && n.Value != "":
		into.Name = n.Value
		d.Places[&into.Name] = n
		return true
	case n.Kind != yaml.MappingNode:
		d.Add(n, "write [huge-pages], [mine.yaml], or [{vm.swappiness: 1}]",
			"%s: expected a profile, its file, or knobs and values, found %s", where, describe(n))
		return false
	case size(n) > mostTuned:
		d.Add(n, "", "%s: more than %d values", where, mostTuned)
		return false
	case isProfile(n):
		return d.profile(n, into, where)
	}
	ok := d.words(n, &into.Set, where)
	if ok && len(into.Set) == 0 {
		d.Add(n, "add a knob, such as {vm.swappiness: 1}, or leave the item out", "%s: no knobs are given", where)
		ok = false
	}
	return ok
}

// isProfile distinguishes a profile from values by knob: no knob has the name of one of these keys.
func isProfile(n *yaml.Node) bool {
	for _, key := range []string{"name", "settings", "includes"} {
		if strictyaml.Lookup(n, key) != nil {
			return true
		}
	}
	return false
}

// profile reads an inline profile, as in a record.
func (d *decoder) profile(n *yaml.Node, into *experiment.Tuning, where string) bool {
	read, err := profile.FromNode("", n)
	if err != nil {
		d.Refused(n, err, where+": ")
		return false
	}
	into.Profile = read
	return true
}
