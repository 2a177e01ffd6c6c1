package diagnosis

import (
	_ "embed"

	"go.yaml.in/yaml/v3"
)

// Cause describes what a rule looks for.
type Cause struct {
	Cause  string `yaml:"cause" json:"cause"`
	Title  string `yaml:"title" json:"title"`
	Usual  bool   `yaml:"usual" json:"usual"` // the work that all transactions need
	Basis  Basis  `yaml:"basis" json:"basis"`
	Source string `yaml:"source" json:"source"` // what the rule rests on: an address
	Try    []Try  `yaml:"try" json:"try"`
}

// Try suggests something that may help against a cause.
type Try struct {
	Text string `yaml:"text" json:"text"`
	// Filesystem is the filesystem of the data with which it may help ("xfs"); "" if with any.
	Filesystem string `yaml:"filesystem,omitempty" json:"-"`
	// Change is the part of an environment, as in an experiment file, that would prove it; nil if no change
	// of the environment can.
	Change map[string]any `yaml:"change,omitempty" json:"change,omitempty"`
}

//go:embed causes.yaml
var causesYAML []byte

//go:embed redis-causes.yaml
var redisCausesYAML []byte

var (
	causes      = readCauses(causesYAML)
	redisCauses = readCauses(redisCausesYAML) // those that differ for Redis
)

// readCauses returns causes by name.
func readCauses(text []byte) map[string]Cause {
	var all []Cause
	if yaml.Unmarshal(text, &all) != nil {
		return nil // a test checks that each rule has its cause
	}
	byName := map[string]Cause{}
	for _, c := range all {
		byName[c.Cause] = c
	}
	return byName
}

// Causes returns the causes that rules look for of a server, by name.
func Causes(server string) map[string]Cause {
	all := map[string]Cause{}
	for _, r := range rulesOf(server) {
		all[r.name] = r.Cause
	}
	return all
}

// Known reports whether a cause is one that rules look for.
func Known(cause string) bool { return causes[cause].Title != "" || redisCauses[cause].Title != "" }
