// Package profile is named sets of values for knobs: published ones with their exact
// values and their source, plinth's own that are computed from the facts of a machine,
// and those of users. A profile is about knobs, never about disks.
package profile

import "plinth/internal/knob"

// Profile is a named set of values.
type Profile struct {
	Name     string
	About    string // what it is for, in a sentence
	Source   knob.Source
	Includes []string // profiles whose settings come first; this one's take their place
	Requires []Requirement
	Unsafe   bool // allows values that weaken durability; they are marked
	Settings []Setting
}

// Setting is a value for a knob.
type Setting struct {
	Key knob.Key // "vm.swappiness", "read_ahead_kb@data"
	// Value is a word as it is set, or, after "=", an expression over Facts:
	// "= memory * 0.25".
	Value  string
	Group  string // settings that do one thing together, for ablation: "flushing"; "other kernel" unless said
	When   string // an expression: where it is false, the setting is not applicable, for the reason Unless
	Unless string
	Reason string // why this value
}

// Requirement is what must hold for a profile to do what it is for: "a cpuset needs
// static huge pages on that node".
//
// Beside Facts, Holds has what is tuned together with it, by key: tuned["vm.nr_hugepages"]
// is "" where it is not.
type Requirement struct {
	Layer knob.Layer
	Holds string // an expression
	Text  string // what is missing where it does not hold
	Hint  string
}

// Value is one setting with its expression worked out.
type Value struct {
	Key     knob.Key
	Value   string // in the words of the knob
	Layer   knob.Layer
	Group   string
	Reason  string // with the numbers that it was worked out from
	Profile string // that it comes from; "" of one that was given by itself
	Source  knob.Source

	// NotApplicable is why there is nothing to set here: "one NUMA node"; "" where there is.
	NotApplicable string
}
