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

// resolved are settings with their knobs. Those that no group was given are in "other
// server", by their layer.
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
func leave(settings []placed, without []string) ([]placed, error) {
	kept := settings
	for _, name := range without {
		left := func(s placed) bool { return s.is(strings.TrimSpace(name)) }
		if !slices.ContainsFunc(settings, left) {
			known := partNames(settings)
			return nil, hint.Errorf(hint.DidYouMean(name, known, "there are "+strings.Join(known, ", ")),
				"without %s leaves nothing out", strictyaml.Quote(name))
		}
		kept = slices.DeleteFunc(slices.Clone(kept), left)
	}
	return kept, nil
}

// is says whether a setting is of the layer or the group of that name, or is that knob.
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
