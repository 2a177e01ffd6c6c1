package experiment

import (
	"errors"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/profile"
	"plinth/internal/strictyaml"
)

// mostTuned is how many values an item of tuning has at most, keys among them: more than
// there are knobs.
const mostTuned = 10_000

// tuning reads one item of what is tuned: a word is a profile or the file of one, a
// mapping is a profile where it has keys of one, or else values by knob.
func (d *decoder) tuning(n *yaml.Node, into *Tuning, where string) bool {
	switch {
	case oneWord(n) && n.Value != "":
		into.Name = n.Value
		d.places[&into.Name] = n
		return true
	case n.Kind != yaml.MappingNode:
		d.add(n, "write [huge-pages], [mine.yaml], or [{vm.swappiness: 1}]",
			"%s: expected a profile, its file, or knobs and values, found %s", where, describe(n))
		return false
	case size(n) > mostTuned:
		d.add(n, "", "%s: more than %d values", where, mostTuned)
		return false
	case isProfile(n):
		return d.profile(n, into, where)
	}
	ok := d.words(n, &into.Set, where)
	if ok && len(into.Set) == 0 {
		d.add(n, "write {vm.swappiness: 1}, or leave it out", "%s: no knobs in it", where)
		ok = false
	}
	return ok
}

// isProfile tells a profile from values by knob: no knob has the name of a profile's key.
func isProfile(n *yaml.Node) bool {
	for _, key := range []string{"name", "settings", "includes"} {
		if strictyaml.Lookup(n, key) != nil {
			return true
		}
	}
	return false
}

// profile reads a profile that stands in the file itself, as it does in a record.
func (d *decoder) profile(n *yaml.Node, into *Tuning, where string) bool {
	read, err := profile.FromNode("", n)
	if err != nil {
		d.refused(n, err, where+": ")
		return false
	}
	into.Profile = read
	return true
}

// refused notes what the reader of profiles found: in the file itself at its place, in
// another one where that is named.
func (d *decoder) refused(n *yaml.Node, err error, before string) {
	all := []error{err}
	var several *strictyaml.Error
	if errors.As(err, &several) {
		all = several.Unwrap()
	}
	for _, mistake := range all {
		at, text := n, mistake.Error()
		if place := inHere.FindStringSubmatch(text); place != nil {
			at, text = d.nodeAt(place[1], place[2], n), place[3]
		}
		if strictyaml.LooksSecret(text) {
			text = "a value that can't be read (not shown: it may hold a password)"
		}
		d.add(at, hint.Of(mistake), "%s%s", before, text)
	}
}

// inHere is a mistake in a file without a name.
var inHere = regexp.MustCompile(`(?s)^:(\d+):(\d+): (.*)$`)

// nodeAt stands for what is at a line and a column of the tree below n. Lines of --set
// are not those of the file.
func (d *decoder) nodeAt(line, column string, n *yaml.Node) *yaml.Node {
	if _, set := d.Elsewhere[n]; set {
		return n
	}
	at := &yaml.Node{}
	at.Line, _ = strconv.Atoi(line) // digits
	at.Column, _ = strconv.Atoi(column)
	if d.Shared[n] {
		d.Shared[at] = true
	}
	return at
}
