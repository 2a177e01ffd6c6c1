package engine

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// Parity is what engines have in common when two of their environments are compared:
// what differs without having been asked for weakens the comparison.
type Parity struct {
	// Unequal are the settings that differ by nature, or say nothing about speed.
	Unequal *regexp.Regexp
	// Derived are settings that follow another one unless they are set themselves.
	Derived map[string]string
	// Families are settings that get a note of their own, by the rule's name and what
	// they are about: {"parity-persistence": "persistence"}. Others are "settings".
	Families []Family
	// Ignored says whether a difference of one setting is to be left out besides; may
	// be nil.
	Ignored func(a, b record.Environment, name string) bool
	// Noise is by how many bytes two loads of the same rows may differ.
	Noise int64
	// Request is the shortest thing that can be asked: "an empty query".
	Request string
}

// Family is settings of which a difference is told apart from others.
type Family struct {
	Rule, About string
	Names       *regexp.Regexp
}

// Notes names what differs, one note for each kind of difference.
func (p Parity) Notes(a, b record.Environment) []record.Note {
	var notes Differences
	differing := func(what, inA, inB string) string {
		if inA == inB {
			return ""
		}
		return fmt.Sprintf("%s: %s / %s", what, inA, inB)
	}
	notes.Add(a, b, "parity-version", differing("version", a.Version, b.Version), "")
	for _, family := range append(slices.Clip(p.Families), Family{Rule: otherSettings, About: "settings"}) {
		notes.Add(a, b, family.Rule, p.settings(a, b, family), "give them the same settings, or declare the difference")
	}
	notes.Add(a, b, "parity-transport", differing("transport", a.Transport, b.Transport), "")
	what, hint := p.roundTrips(a, b)
	notes.Add(a, b, "parity-round-trip", what, hint)
	if a.Declared[DeclaredDataset] == b.Declared[DeclaredDataset] {
		notes.Add(a, b, "parity-dataset", p.datasets(a.Dataset, b.Dataset), "")
	}
	return notes
}

// DeclaredDataset is what stands for a dataset of an environment's own among what it
// declares: a difference that was asked for.
const DeclaredDataset = "dataset"

// Differences are notes of what differs between two environments.
type Differences []record.Note

// Add adds a note of what differs, unless nothing does.
func (d *Differences) Add(a, b record.Environment, rule, what, hint string) {
	if what != "" {
		text := fmt.Sprintf("%s and %s differ in %s", a.Name, b.Name, what)
		*d = append(*d, record.Note{Rule: rule, Text: text, Hint: hint})
	}
}

// settings are the differing settings of a family.
func (p Parity) settings(a, b record.Environment, family Family) string {
	names := maps.Clone(a.Settings)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, b.Settings)
	var words []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		inA, hasA := a.Settings[name]
		inB, hasB := b.Settings[name]
		switch {
		case p.familyOf(name) != family.Rule:
			continue
		case inA == inB && hasA == hasB, p.Unequal.MatchString(name), p.declaredApart(a, b, name):
			continue
		case p.Ignored != nil && p.Ignored(a, b, name):
			continue
		case (!hasA || !hasB) && a.VersionN/10000 != b.VersionN/10000:
			continue // a setting that only one of the versions has
		}
		words = append(words, fmt.Sprintf("%s: %s / %s", name, ShownSetting(inA, hasA), ShownSetting(inB, hasB)))
	}
	if words == nil {
		return ""
	}
	return family.About + ": " + strings.Join(words, ", ")
}

// otherSettings is the rule of settings that are in no family.
const otherSettings = "parity-settings"

// familyOf is the rule that tells of a setting.
func (p Parity) familyOf(name string) string {
	for _, family := range p.Families {
		if family.Names.MatchString(name) {
			return family.Rule
		}
	}
	return otherSettings
}

// ShownSetting is a setting's value as it is told, also where there is none.
func ShownSetting(value string, there bool) string {
	switch {
	case !there:
		return "(none)"
	case value == "":
		return `""`
	}
	return value
}

// declaredApart says whether the experiment itself asks for a difference: then it is
// what is compared.
func (p Parity) declaredApart(a, b record.Environment, name string) bool {
	inA, askedA := a.Declared[name]
	inB, askedB := b.Declared[name]
	if askedA || askedB {
		return askedA != askedB || inA != inB
	}
	source, follows := p.Derived[name]
	return follows && p.declaredApart(a, b, source)
}

// datasets tells of rows that are not as many, or tables not as large: rows may be
// the server's own estimates, a thousandth off.
func (p Parity) datasets(a, b record.Dataset) string {
	var words []string
	if apart(a.Rows, b.Rows, 0.001) {
		words = append(words, fmt.Sprintf("rows: %d / %d", a.Rows, b.Rows))
	}
	if apart(a.Bytes, b.Bytes, 0.01) && max(a.Bytes, b.Bytes)-min(a.Bytes, b.Bytes) > p.Noise {
		words = append(words, fmt.Sprintf("size: %s / %s", unit.Size(a.Bytes), unit.Size(b.Bytes)))
	}
	if words == nil {
		return ""
	}
	return "dataset: " + strings.Join(words, ", ")
}

func apart(a, b int64, share float64) bool {
	return math.Abs(float64(a-b)) > share*float64(max(a, b))
}

// Medians of a round trip that are closer than this are alike. On one machine the
// kernel alone makes that of one server three times that of another: which CPUs
// their processes sleep on, and who else is awake.
const (
	roundTripApart     = 50 * time.Microsecond
	roundTripApartHere = 500 * time.Microsecond
)

// roundTrips names medians that are more than twice apart, and more than what is alike.
func (p Parity) roundTrips(a, b record.Environment) (what, hint string) {
	least, hint := roundTripApart, "a network is part of what is measured: compare servers that are equally far away"
	// An address of the machine itself says nothing: a tunnel may begin there.
	if a.Transport == "socket" && b.Transport == "socket" {
		least, hint = roundTripApartHere, "no network is between: look for what else uses the CPUs, and for a limit that one of the servers has"
	}
	low, high := min(a.RoundTrip, b.RoundTrip), max(a.RoundTrip, b.RoundTrip)
	if high <= 2*low || high-low <= float64(least) {
		return "", ""
	}
	text := func(e record.Environment) string {
		return time.Duration(e.RoundTrip).Round(time.Microsecond).String()
	}
	return fmt.Sprintf("round trip of %s: %s / %s", p.Request, text(a), text(b)), hint
}
