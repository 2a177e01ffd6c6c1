package study

import (
	"cmp"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/profile"
)

// settings returns what the tuning of an environment sets, and what it would set without its list of what to leave out.
func settings(e *experiment.Experiment, env experiment.Environment) (kept, left []profile.Setting, err error) {
	all, err := profile.Together(e.ProfilesOf(env))
	if err != nil {
		return nil, nil, err
	}
	for _, one := range all {
		if slices.ContainsFunc(env.Without, func(name string) bool {
			return name == string(one.Layer(e.Engine)) || name == one.Group || strings.EqualFold(name, one.Key.String()) || strings.EqualFold(name, one.Key.Knob)
		}) {
			left = append(left, one)
		} else {
			kept = append(kept, one)
		}
	}
	return kept, left, nil
}

func compare(a, b profile.Setting) int {
	return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Key.String(), b.Key.String()))
}
