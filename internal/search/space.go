package search

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/strictyaml"
)

//go:embed postgres.yaml redis.yaml
var files embed.FS

// spec is a file of dimensions.
type spec struct {
	Dimensions []dimensionSpec `yaml:"dimensions"`
}

type dimensionSpec struct {
	Name    string      `yaml:"name"`
	About   string      `yaml:"about"`
	Ordered bool        `yaml:"ordered"`
	When    string      `yaml:"when"`
	Risk    Risk        `yaml:"risk"`
	Risky   string      `yaml:"risky"` // the levels that have the risk (risk.go)
	Levels  []levelSpec `yaml:"levels"`
	// Defaults are those of knobs whose default depends on the version of the server, as expressions.
	Defaults map[string]string `yaml:"defaults"`
}

// levelSpec is a level: its values alone, or its values and when it makes sense.
type levelSpec struct {
	Values map[string]string
	When   string
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (l *levelSpec) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "values" {
			return n.Decode((*struct {
				Values map[string]string `yaml:"values"`
				When   string            `yaml:"when"`
			})(l))
		}
	}
	return n.Decode(&l.Values)
}

// specs returns the dimensions of an engine, which has a file of its name.
func specs(engine string) ([]dimensionSpec, error) {
	text, err := files.ReadFile(engine + ".yaml")
	var s spec
	if err == nil {
		err = strictyaml.Decode(text, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what a search tries for %s: %w", engine, err)
	}
	return s.Dimensions, nil
}

// Scope says what a search may change, and on what machine.
type Scope struct {
	Engine string
	Start  []*profile.Profile // the tuning where it begins
	Advice []Advice           // other tunings, whose values are tried first
	Facts  profile.Facts
	Layers []knob.Layer      // that may be changed
	Disks  bool              // the queues and the mounts of disks can be changed between runs
	Fixed  []string          // keys of knobs, and layers, that the experiment determines
	Now    map[string]string // the machine's own values of kernel knobs, which a tuning without them leaves
	// Restarts allows knobs that take effect only when the server is started.
	Restarts bool
	Refused  []Risk // levels with these risks are not tried
}

// Advice is a tuning by name.
type Advice struct {
	Name     string
	Profiles []*profile.Profile
}

// advised holds the values of Advice on the machine.
type advised struct {
	by     string
	values map[string]string
}

// Space returns the dimensions of a search, in the order of the file, without those that make no sense on
// the machine or that may not be changed. Levels with the same values as an earlier one are left out.
func Space(s Scope) ([]Dimension, error) {
	all, err := specs(s.Engine)
	if err != nil {
		return nil, err
	}
	start, err := s.worked(s.Start...)
	if err != nil {
		return nil, err
	}
	var advice []advised
	for _, a := range s.Advice {
		values, err := s.worked(a.Profiles...)
		if err != nil {
			return nil, err
		}
		advice = append(advice, advised{a.Name, values})
	}
	var dimensions []Dimension
	for _, spec := range all {
		d, err := s.dimension(spec, start, advice)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec.Name, err)
		}
		if len(d.Levels) > 1 {
			dimensions = append(dimensions, d)
		}
	}
	return dimensions, nil
}

// worked returns the values of profiles on the machine, by key, without those that do not apply to it.
func (s Scope) worked(profiles ...*profile.Profile) (map[string]string, error) {
	w, err := profile.Work(s.Engine, profiles, nil, s.Facts)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, v := range w.Values {
		if v.NotApplicable == "" {
			values[v.Key.String()] = v.Value
		}
	}
	return values, nil
}

// dimension returns a dimension as it is on the machine. It has no levels if it may not be changed.
func (s Scope) dimension(spec dimensionSpec, start map[string]string, advice []advised) (Dimension, error) {
	d := Dimension{Name: spec.Name, About: spec.About, Ordered: spec.Ordered}
	knobs, err := s.knobs(spec)
	if err != nil || knobs == nil {
		return d, err
	}
	defaults, err := s.worked(profile.Of(spec.Defaults))
	if err != nil {
		return d, err
	}
	for key, v := range defaults {
		k := knobs[key]
		k.Default = v
		knobs[key] = k
	}
	d.Knobs = slices.Sorted(maps.Keys(knobs))
	l := ladder{knobs: knobs}
	for _, level := range spec.Levels {
		values, err := s.level(spec, level)
		if err != nil {
			return d, err
		}
		if len(values) == len(level.Values) { // otherwise it does not apply to this machine
			l.add(placed{values: values, written: level.Values}, false)
		}
	}
	if len(l.levels) == 0 {
		return d, nil
	}
	for _, a := range advice {
		if values := s.whole(knobs, a.values); len(values) > 0 {
			l.add(placed{values: values, written: values, advised: a.by}, spec.Ordered)
		}
	}
	l.add(placed{values: s.began(knobs, start), begins: true}, spec.Ordered)
	d.Levels, d.Start = l.done()
	d.assess(spec, s.Refused)
	return d, nil
}

// whole returns the values of advice for the knobs of a dimension; what it does not set has its default. It returns none if the
// advice sets none of them.
func (s Scope) whole(knobs map[string]knob.Knob, advice map[string]string) map[string]string {
	values := only(knobs, advice)
	if len(values) == 0 {
		return nil
	}
	for key, k := range knobs {
		if v := cmp.Or(s.Now[key], k.Default); values[key] == "" && v != "" && k.Excludes == "" {
			values[key] = v
		}
	}
	return values
}

// began returns the values where a search begins: those of its tuning, and otherwise the machine's.
func (s Scope) began(knobs map[string]knob.Knob, start map[string]string) map[string]string {
	values := only(knobs, start)
	for key, k := range knobs {
		if now := s.Now[key]; now != "" && start[key] == "" && start[k.Excludes] == "" {
			values[key] = now
		}
	}
	return values
}

// knobs returns the knobs of a dimension, by key; nil if one of them may not be changed here.
func (s Scope) knobs(spec dimensionSpec) (map[string]knob.Knob, error) {
	knobs := map[string]knob.Knob{}
	for _, l := range spec.Levels {
		for text := range l.Values {
			key := knob.ParseKey(text)
			k, err := knob.Resolve(s.Engine, key)
			if err != nil {
				return nil, err
			}
			fixed := slices.ContainsFunc(s.Fixed, func(name string) bool {
				return strings.EqualFold(name, key.String()) || strings.EqualFold(name, key.Knob) || name == string(k.Layer)
			})
			if fixed || !slices.Contains(s.Layers, k.Layer) || key.On != "" && !s.Disks || k.Needs == knob.Restart && !s.Restarts {
				return nil, nil
			}
			knobs[key.String()] = k
		}
	}
	return knobs, nil
}

// level returns the values of a level on the machine; fewer if some do not apply to it.
func (s Scope) level(spec dimensionSpec, l levelSpec) (map[string]string, error) {
	p := profile.Of(l.Values)
	for i := range p.Settings {
		switch {
		case l.When != "" && spec.When != "":
			p.Settings[i].When = "(" + spec.When + ") && (" + l.When + ")"
		case l.When != "":
			p.Settings[i].When = l.When
		default:
			p.Settings[i].When = spec.When
		}
	}
	return s.worked(p)
}

// Values returns the values of a point that differ from where the search began, by key.
func Values(dimensions []Dimension, p Point) map[string]string {
	all := map[string]string{}
	for i, level := range p {
		maps.Copy(all, dimensions[i].Levels[level].Values)
	}
	return all
}
