package profile

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/strictyaml"
)

// Layer is the layer of the knob that is set: that of the engine's parameter, or of
// any engine's where engine is "".
func (s Setting) Layer(engine string) knob.Layer {
	k, _, err := resolve(engine, s.Key)
	if err != nil {
		return knob.Server
	}
	return k.Layer
}

// group is the group of a setting: settings that no group was given are "other server".
func (s Setting) group(engine string) string {
	if s.Group != "" {
		return s.Group
	}
	return "other " + string(s.Layer(engine))
}

// resolve is a knob, and why it is none of this engine: a parameter of the other one.
func resolve(engine string, key knob.Key) (k knob.Knob, foreign string, err error) {
	k, err = knob.Resolve("", key)
	if err != nil || k.Engine == "" || engine == "" || k.Engine == engine {
		return k, "", err
	}
	if own, known := knob.Parameter(engine, key.Knob); known { // both have one of that name
		return own, "", nil
	}
	return k, "a parameter of another server: this one is " + titles[engine], nil
}

var titles = map[string]string{"postgres": "PostgreSQL", "redis": "Redis"}

// Parts are the parts of profiles, together, that can be left out one at a time: their
// layers from the bottom up, their groups, or their knobs' keys. by is "layer", "group"
// or "knob". Without takes each of them.
func Parts(engine string, profiles []*Profile, by string) ([]string, error) {
	settings, _, err := together(profiles)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, s := range settings {
		if _, foreign, err := resolve(engine, s.Key); err != nil || foreign != "" {
			continue
		}
		part := s.Key.String()
		switch by {
		case "layer":
			part = string(s.Layer(engine))
		case "group":
			part = s.group(engine)
		case "knob":
		default:
			return nil, fmt.Errorf("cannot take a profile apart by %s: layer, group or knob", strictyaml.Quote(by))
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

// leave is settings without some of them: by layer, by group, by key, or by the name of
// a knob with whatever is after its @. A name that leaves nothing out is an error.
func leave(engine string, settings []placed, without []string) ([]placed, error) {
	kept := settings
	for _, name := range without {
		left := func(s placed) bool { return s.is(engine, strings.TrimSpace(name)) }
		if !slices.ContainsFunc(settings, left) {
			known := partNames(engine, settings)
			return nil, hint.Errorf(hint.DidYouMean(name, known, "there are "+strings.Join(known, ", ")),
				"without %s leaves nothing out", strictyaml.Quote(name))
		}
		kept = slices.DeleteFunc(slices.Clone(kept), left)
	}
	return kept, nil
}

// is says whether a setting is of the layer or the group of that name, or is that knob.
func (s placed) is(engine, name string) bool {
	return string(s.Layer(engine)) == name || s.group(engine) == name ||
		strings.EqualFold(s.Key.String(), name) || strings.EqualFold(s.Key.Knob, name)
}

func partNames(engine string, settings []placed) []string {
	var layers, groups, keys []string
	for _, s := range settings {
		layers, groups, keys = append(layers, string(s.Layer(engine))), append(groups, s.group(engine)), append(keys, s.Key.String())
	}
	var all []string
	for _, name := range slices.Concat(layers, groups, keys) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
