// Package profile defines profiles: named sets of values for knobs. Published profiles have exact
// values and a source; the values of plinth's own are computed from the facts of a machine; users
// can write their own. A profile never describes a disk; device models do (package device).
package profile

import "plinth/internal/knob"

// Profile is a named set of values.
type Profile struct {
	Name     string
	About    string // its purpose, in a sentence
	Source   knob.Source
	Includes []string // profiles whose settings come first; this profile's replace them
	Requires []Requirement
	Unsafe   bool // allows values that weaken durability; they are marked
	Settings []Setting
}

// Setting is a value for a knob.
type Setting struct {
	Key knob.Key // "vm.swappiness", "read_ahead_kb@data"
	// Value is a literal value or, after "=", an expression over Facts:
	// "= memory * 0.25".
	Value  string
	Group  string // the common purpose of several settings, for ablation: "flushing"; "other kernel" by default
	When   string // an expression: if it is false, the setting is not applicable, for the reason Unless
	Unless string
	Reason string // why this value
}

// Requirement is a condition for a profile to work as intended: "a cpuset needs static huge
// pages on that node".
//
// In addition to Facts, Holds can use the values tuned together with it, by key:
// tuned["vm.nr_hugepages"] is "" if it is not tuned.
type Requirement struct {
	Layer knob.Layer
	Holds string // an expression
	Text  string // what is missing if it does not hold
	Hint  string
}

// Value is a setting with its expression evaluated.
type Value struct {
	Key     knob.Key
	Value   string // in the knob's format
	Layer   knob.Layer
	Group   string
	Reason  string // with the numbers that it was computed from
	Profile string // the profile that it comes from; "" for a value given directly
	Source  knob.Source

	// NotApplicable is why the setting does not apply to this machine: "one NUMA node"; "" if it
	// does.
	NotApplicable string
}
