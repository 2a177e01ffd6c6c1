package profile

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/strictyaml"
)

// Layer returns the layer of the setting's knob: that of the engine's parameter, or of any
// engine's if engine is "".
func (s Setting) Layer(engine string) knob.Layer {
	k, _, err := resolve(engine, s.Key)
	if err != nil {
		return knob.Server
	}
	return k.Layer
}

// resolved returns settings with their knobs. Those without a group are put in the group of
// their layer, such as "other server".
func resolved(engine string, settings []placed) []placed {
	settings = slices.Clone(settings)
	for i := range settings {
		s := &settings[i]
		if s.knob, s.foreign, s.err = resolve(engine, s.Key); s.err != nil {
			s.knob.Layer = knob.Server
		}
		if s.Group == "" {
			s.Group = "other " + string(s.knob.Layer)
		}
	}
	return settings
}

// resolve returns a knob, and why it does not belong to this engine if it is a parameter of
// the other one.
func resolve(engine string, key knob.Key) (k knob.Knob, foreign string, err error) {
	k, err = knob.Resolve("", key)
	if err != nil || k.Engine == "" || engine == "" || k.Engine == engine {
		return k, "", err
	}
	if own, known := knob.Parameter(engine, key.Knob); known { // both engines have a parameter of that name
		return own, "", nil
	}
	return k, "a parameter of another server; this one is " + titles[engine], nil
}

var titles = map[string]string{"postgres": "PostgreSQL", "redis": "Redis"}

// Parts returns the parts of profiles, used together, that can be left out one at a time:
// their layers from the bottom up, their groups, or their knobs' keys. by is "layer", "group"
// or "knob". The parameter without of Work accepts each of them.
func Parts(engine string, profiles []*Profile, by string) ([]string, error) {
	settings, _, err := together(profiles)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, s := range resolved(engine, settings) {
		if s.err != nil || s.foreign != "" {
			continue
		}
		part := s.Key.String()
		switch by {
		case "layer":
			part = string(s.knob.Layer)
		case "group":
			part = s.Group
		case "knob":
		default:
			return nil, fmt.Errorf("cannot split a profile by %s: use layer, group or knob", strictyaml.Quote(by))
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if by == "layer" {
		order := knob.Layers()
		slices.SortFunc(parts, func(a, b string) int {
			return slices.Index(order, knob.Layer(a)) - slices.Index(order, knob.Layer(b))
		})
	}
	return parts, nil
}

// Divide returns the settings of profiles, used together: those that a list of layers, groups and knobs keeps, and those that it
// leaves out. A name that matches nothing is ignored.
func Divide(engine string, profiles []*Profile, without []string) (kept, left []Setting, err error) {
	settings, _, err := together(profiles)
	if err != nil {
		return nil, nil, err
	}
	for i, s := range resolved(engine, settings) {
		if slices.ContainsFunc(without, func(name string) bool { return s.is(strings.TrimSpace(name)) }) {
			left = append(left, settings[i].Setting)
		} else {
			kept = append(kept, settings[i].Setting)
		}
	}
	return kept, left, nil
}

// leave returns settings without some of them: by layer, by group, by key, or by the name of
// a knob with any @. A name that matches nothing is an error.
func leave(settings []placed, without []string) ([]placed, error) {
	kept := settings
	for _, name := range without {
		left := func(s placed) bool { return s.is(strings.TrimSpace(name)) }
		if !slices.ContainsFunc(settings, left) {
			known := partNames(settings)
			return nil, hint.Errorf(hint.DidYouMean(name, known, "use one of "+strings.Join(known, ", ")),
				"cannot leave out %s: no such layer, group or knob", strictyaml.Quote(name))
		}
		kept = slices.DeleteFunc(slices.Clone(kept), left)
	}
	return kept, nil
}

// is reports whether a setting belongs to the layer or the group of that name, or to that knob.
func (s placed) is(name string) bool {
	return string(s.knob.Layer) == name || s.Group == name ||
		strings.EqualFold(s.Key.String(), name) || strings.EqualFold(s.Key.Knob, name)
}

func partNames(settings []placed) []string {
	var layers, groups, keys []string
	for _, s := range settings {
		layers, groups, keys = append(layers, string(s.knob.Layer)), append(groups, s.Group), append(keys, s.Key.String())
	}
	var all []string
	for _, name := range slices.Concat(layers, groups, keys) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
