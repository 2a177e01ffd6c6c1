package search

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/unit"
)

// A ladder holds the levels of a dimension, each once.
type ladder struct {
	knobs  map[string]knob.Knob // of the dimension, by key
	levels []placed
}

// add adds a level: among the others, by size, or at the end.
func (l *ladder) add(p placed, among bool) {
	if i := slices.IndexFunc(l.levels, func(o placed) bool { return same(l.knobs, o.values, p.values) }); i >= 0 {
		l.levels[i].begins = l.levels[i].begins || p.begins
		l.levels[i].advised = cmp.Or(l.levels[i].advised, p.advised)
		return
	}
	at := len(l.levels)
	if i := slices.IndexFunc(l.levels, func(o placed) bool { return less(l.knobs, p.values, o.values) }); among && i >= 0 {
		at = i
	}
	l.levels = slices.Insert(l.levels, at, p)
}

// done returns the levels, and the index of that where the search begins, which has no values: it is as the tuning has it, or
// the server, or the machine.
func (l *ladder) done() (levels []Level, start int) {
	for i, p := range l.levels {
		level := Level{Values: p.written, Text: text(l.knobs, p.values), Advised: p.advised}
		if p.begins {
			start, level.Values = i, nil
		}
		levels = append(levels, level)
	}
	return levels, start
}

// placed is a level in its place among the others, with its values on the machine.
type placed struct {
	values, written map[string]string // by key
	advised         string
	begins          bool
}

// only returns the values of some knobs.
func only(knobs map[string]knob.Knob, values map[string]string) map[string]string {
	values = maps.Clone(values)
	maps.DeleteFunc(values, func(key, _ string) bool { _, of := knobs[key]; return !of })
	return values
}

// text returns the values of a level in one line, in the order of their keys. Of two knobs that exclude each other, it has the
// one that counts.
func text(knobs map[string]knob.Knob, values map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(knobs)) {
		k := knobs[key]
		v := value(key, k, values)
		_, set := values[key]
		if rival, there := values[k.Excludes]; k.Excludes != "" && (v == "0" || there && rival != "0" && !set) {
			continue
		}
		if v != "" {
			parts = append(parts, shown(k, v))
		}
	}
	return cmp.Or(strings.Join(parts, " / "), "as it is")
}

// shown returns a value as a reader wants it: a number of bytes of the kernel or of Redis in the largest unit.
func shown(k knob.Knob, value string) string {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 && k.Unit == "bytes" {
		return unit.Size(n).Exact()
	}
	return value
}

// value returns the value of a knob in a tuning; without one, it has its default.
func value(key string, k knob.Knob, values map[string]string) string {
	if v, there := values[key]; there {
		return v
	}
	return k.Default
}

// same reports whether two tunings give the knobs of a dimension the same values.
func same(knobs map[string]knob.Knob, values, other map[string]string) bool {
	for key, k := range knobs {
		if a, b := value(key, k, values), value(key, k, other); a != b && !k.Same(a, b) {
			return false
		}
	}
	return true
}

// less reports whether values are smaller than others: the first of the knobs in which they differ decides. A size of 0 means
// that a ratio counts in its place, which on most machines is more than the sizes that are tried.
func less(knobs map[string]knob.Knob, values, other map[string]string) bool {
	for _, key := range slices.Sorted(maps.Keys(knobs)) {
		a, b := value(key, knobs[key], values), value(key, knobs[key], other)
		if knobs[key].Excludes != "" && (a == "0") != (b == "0") {
			return b == "0"
		}
		if knobs[key].Less(a, b) || knobs[key].Less(b, a) {
			return knobs[key].Less(a, b)
		}
	}
	return false
}
