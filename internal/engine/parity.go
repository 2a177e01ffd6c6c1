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

// Parity holds what an engine contributes to the comparison of two environments: undeclared
// differences weaken the comparison.
type Parity struct {
	// Unequal matches the settings that differ by nature, or do not affect speed.
	Unequal *regexp.Regexp
	// Derived maps settings to the setting that they follow unless they are set explicitly.
	Derived map[string]string
	// Families are settings with a separate note, by the rule's name and their subject:
	// {"parity-persistence": "persistence"}. All others are "settings".
	Families []Family
	// Ignored reports whether to omit the difference of one setting in addition; may be nil.
	Ignored func(a, b record.Environment, name string) bool
	// Noise is by how many bytes two loads of the same rows may differ.
	Noise int64
	// Request describes the shortest possible request: "an empty query".
	Request string
}

// Family is a group of settings whose differences are reported separately.
type Family struct {
	Rule, About string
	Names       *regexp.Regexp
}

// Notes returns the differences, one note for each kind.
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
	notes.Add(a, b, "parity-network-storage", networkStorage(a, b), "if the storage is the question, give each environment a label that names it")
	what, hint := p.roundTrips(a, b)
	notes.Add(a, b, "parity-round-trip", what, hint)
	if a.Declared[DeclaredDataset] == b.Declared[DeclaredDataset] {
		notes.Add(a, b, "parity-dataset", p.datasets(a.Dataset, b.Dataset), "")
	}
	return notes
}

// networkStorage describes volumes that only one of two connected servers reaches over a network,
// or that they reach differently. The storage of plinth's own servers is declared. A server whose
// volumes are not visible proves nothing.
func networkStorage(a, b record.Environment) string {
	if a.Kind != "connected" || b.Kind != "connected" || a.Label != "" && b.Label != "" {
		return ""
	}
	var words []string
	for _, of := range a.Volumes {
		for _, other := range b.Volumes {
			if inA, inB := reached(of), reached(other); of.Role == other.Role && inA != inB {
				words = append(words, fmt.Sprintf("%s: %s / %s", of.Role, inA, inB))
			}
		}
	}
	if words == nil {
		return ""
	}
	return "storage: " + strings.Join(words, "; ")
}

func reached(v record.Volume) string {
	if len(v.Remote) == 0 {
		return "this machine"
	}
	return v.Remote[0].Words()
}

// DeclaredDataset is the key in an environment's declared settings for a separate dataset: a
// deliberate difference.
const DeclaredDataset = "dataset"

// Differences are notes about differences between two environments.
type Differences []record.Note

// Add adds a note about a difference, unless what is empty.
func (d *Differences) Add(a, b record.Environment, rule, what, hint string) {
	if what != "" {
		text := fmt.Sprintf("%s and %s differ in %s", a.Name, b.Name, what)
		*d = append(*d, record.Note{Rule: rule, Text: text, Hint: hint})
	}
}

// settings returns the differing settings of a family.
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
			continue // a setting that exists in only one of the versions
		}
		words = append(words, fmt.Sprintf("%s: %s / %s", name, ShownSetting(inA, hasA), ShownSetting(inB, hasB)))
	}
	if words == nil {
		return ""
	}
	return family.About + ": " + strings.Join(words, ", ")
}

// otherSettings is the rule for settings that belong to no family.
const otherSettings = "parity-settings"

// familyOf returns the rule that covers a setting.
func (p Parity) familyOf(name string) string {
	for _, family := range p.Families {
		if family.Names.MatchString(name) {
			return family.Rule
		}
	}
	return otherSettings
}

// ShownSetting returns a setting's value as it is shown, including one that does not exist.
func ShownSetting(value string, there bool) string {
	switch {
	case !there:
		return "(none)"
	case value == "":
		return `""`
	}
	return value
}

// declaredApart reports whether the experiment itself declares a difference: then the difference
// is compared.
func (p Parity) declaredApart(a, b record.Environment, name string) bool {
	inA, askedA := a.Declared[name]
	inB, askedB := b.Declared[name]
	if askedA || askedB {
		return askedA != askedB || inA != inB
	}
	source, follows := p.Derived[name]
	return follows && p.declaredApart(a, b, source)
}

// datasets describes a difference in the number of rows or the size of tables. Row counts may be
// the server's estimates, off by a thousandth.
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

// Medians of a round trip that differ by no more than this count as equal. On one machine the
// kernel alone can make one server's round trip three times that of another: it depends on which
// CPUs their processes sleep on, and which others are awake.
const (
	roundTripApart     = 50 * time.Microsecond
	roundTripApartHere = 500 * time.Microsecond
)

// local reports whether no network was involved when plinth measured the round trip: it reaches its
// own servers through their sockets, wherever their load generators are. An address of the machine
// itself proves nothing: a tunnel may start there.
func local(e record.Environment) bool { return e.Kind == "own" || e.Transport == "socket" }

// roundTrips describes medians that differ by more than a factor of two, and by more than the
// tolerance.
func (p Parity) roundTrips(a, b record.Environment) (what, hint string) {
	least, hint := roundTripApart, "the network is part of the measurement: compare servers at the same network distance"
	if local(a) && local(b) {
		least, hint = roundTripApartHere, "no network is involved: look for other load on the CPUs, and for a resource limit on one of the servers"
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
