package instance

import (
	"strings"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// prefixes are the beginnings of the names of managed services.
var prefixes = map[string]Service{"db.": Database, "cache.": Cache}

// Find returns the type with the given name at EC2 (m6i.large), or with the prefix of a managed
// service: db.m6i.large, cache.m6g.large. It does not check whether the service offers the type.
// The error for an unknown name has a hint with similar names.
func Find(name string) (Instance, error) {
	all, err := catalog()
	if err != nil {
		return Instance{}, err
	}
	prefix, hardware := split(name)
	for _, i := range all {
		if i.Type != hardware {
			continue
		}
		i = i.clone()
		if prefix != "" {
			i = i.managedBy(prefixes[prefix], name)
		}
		return i, nil
	}
	return Instance{}, hint.Errorf(meant(prefix, hardware, all), "there is no instance %q in the catalog", strictyaml.Shorten(name))
}

// split separates the prefix of a managed service from the name of the hardware.
func split(name string) (prefix, hardware string) {
	for prefix := range prefixes {
		if hardware, found := strings.CutPrefix(name, prefix); found {
			return prefix, hardware
		}
	}
	return "", name
}

// mostNames is the largest number of names in a hint.
const mostNames = 6

// meant returns the hint for an unknown name. If the family is known, it lists the nearest sizes of
// the family, or else all of them.
func meant(prefix, hardware string, all []Instance) string {
	var names, siblings []string
	family, _, _ := strings.Cut(hardware, ".")
	for _, i := range all {
		names = append(names, i.Type)
		if i.Family() == family {
			siblings = append(siblings, i.Type)
		}
	}
	near := hint.AllNearest(hardware, names)
	if siblings != nil {
		near = hint.AllNearest(hardware, siblings)
		if len(near) == 0 {
			near = siblings
		}
	}
	const list = "plinth instances lists them"
	if len(near) == 0 {
		return list
	}
	rest := ""
	if len(near) > mostNames {
		near, rest = near[:mostNames], ", among others"
	}
	for n := range near {
		near[n] = prefix + near[n]
	}
	return "did you mean " + hint.Choice(near) + rest + "? " + list
}
