// Package advice says which environment of a record, or of several, to take for what, how sure that is, and what
// would change it. Every answer rests on verdicts and bills; predictions are listed beside them, and never chosen.
package advice

import (
	_ "embed"
	"slices"
	"sync"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// Rule is a question that a record may answer. The file rules.yaml explains the keys.
type Rule struct {
	Name     string   `yaml:"name" json:"name"`
	Title    string   `yaml:"title" json:"title"`
	Question string   `yaml:"question" json:"question"`
	Of       string   `yaml:"of" json:"-"`
	Rank     string   `yaml:"rank" json:"-"`
	Among    []string `yaml:"among" json:"-"`
	Unless   string   `yaml:"unless" json:"-"`
	Needs    string   `yaml:"needs" json:"needs"`
	Source   string   `yaml:"source" json:"source"`
}

//go:embed rules.yaml
var rulesYAML []byte

// Rules returns all rules, in the order of a report.
func Rules() []Rule { return allRules() }

var allRules = sync.OnceValue(func() []Rule { return listed[Rule](rulesYAML) })

// listed reads a list that is part of the program; a test checks that it can be read.
func listed[T any](text []byte) (all []T) {
	if strictyaml.Decode(text, &all) != nil {
		return nil
	}
	return all
}

// FindRule returns the rule of a name.
func FindRule(name string) (Rule, error) {
	var names []string
	for _, r := range Rules() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Rule{}, hint.Errorf(hint.DidYouMean(name, names, "it can be "+hint.Choice(names)), "there is no rule %q", name)
}

// has reports whether a rule considers only some environments, by a filter.
func (r Rule) has(filter string) bool { return slices.Contains(r.Among, filter) }
