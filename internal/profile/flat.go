package profile

import (
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/knob"
)

// placed is a setting with the profile that it comes from and, once resolved, its knob.
type placed struct {
	Setting
	from *Profile

	knob    knob.Knob // of layer Server if err is not nil
	foreign string    // why the knob does not belong to the engine
	err     error
}

// Flat returns all settings of a profile and of the profiles that it includes, in order,
// with later ones replacing earlier ones. A profile that includes itself, directly or
// indirectly, is an error that shows the cycle.
func (p *Profile) Flat() ([]Setting, error) {
	all, err := flatten(p, Find, nil)
	if err != nil {
		return nil, err
	}
	return settingsOf(all), nil
}

// settingsOf returns settings without the profiles that they come from.
func settingsOf(all []placed) []Setting {
	settings := make([]Setting, len(all))
	for i, s := range all {
		settings[i] = s.Setting
	}
	return settings
}

// flatten is like Flat, but keeps the profiles that the settings come from. stack holds the
// names of the including profiles.
func flatten(p *Profile, find finder, stack []string) ([]placed, error) {
	if i := slices.Index(stack, p.Name); i >= 0 && p.Name != "" {
		return nil, circle(append(slices.Clone(stack[i:]), p.Name))
	}
	stack = append(slices.Clone(stack), p.Name)
	var all []placed
	for _, name := range p.Includes {
		if name == p.Name {
			return nil, circle([]string{name, name}) // a profile that is being parsed cannot be found yet
		}
		included, err := find(name)
		if err != nil {
			return nil, err
		}
		settings, err := flatten(included, find, stack)
		if err != nil {
			return nil, err
		}
		all, _ = merge(all, settings)
	}
	own := make([]placed, len(p.Settings))
	for i, s := range p.Settings {
		own[i] = placed{Setting: s, from: p}
	}
	all, _ = merge(all, own)
	return all, nil
}

// circle returns the error for a profile that includes itself.
func circle(names []string) error {
	return hint.Errorf("remove one of the includes", "the profile %s includes itself: %s", names[0], strings.Join(names, " > "))
}

// displaced is a setting that was replaced by another one, of the same knob or of a knob that
// excludes it.
type displaced struct {
	placed
	by knob.Key
}

// merge replaces earlier settings by later ones, and returns those replaced by another value:
// settings of the same knob, and of a knob that is zero when the later one is not.
func merge(earlier, later []placed) (all []placed, gone []displaced) {
	all = slices.Clone(earlier)
	for _, s := range later {
		rival := excluded(s.Setting)
		if i := slices.IndexFunc(all, func(o placed) bool { return o.Key == rival && o.Value != "0" }); i >= 0 {
			gone = append(gone, displaced{all[i], s.Key})
			all = slices.Delete(all, i, i+1)
		}
		i := slices.IndexFunc(all, func(o placed) bool { return o.Key == s.Key })
		if i < 0 {
			all = append(all, s)
			continue
		}
		if all[i].Value != s.Value {
			gone = append(gone, displaced{all[i], s.Key})
		}
		if s.Group == "" {
			s.Group = all[i].Group // another value for the same purpose
		}
		all[i] = s
	}
	return all, gone
}

// excluded returns the key that is zero when a setting is not; the zero Key if there is none.
func excluded(s Setting) knob.Key {
	k, err := knob.Resolve("", s.Key)
	if err != nil || k.Excludes == "" || s.Value == "0" {
		return knob.Key{}
	}
	return knob.Key{Knob: k.Excludes, On: s.Key.On}
}

// alone returns a profile with all included profiles merged into it, so that it needs no
// other file.
func (p *Profile) alone(find finder) (*Profile, error) {
	settings, err := flatten(p, find, nil)
	if err != nil {
		return nil, err
	}
	requires, err := requirements(p, find)
	if err != nil {
		return nil, err
	}
	whole := *p
	whole.Includes, whole.Settings, whole.Requires = nil, settingsOf(settings), nil
	for _, s := range settings {
		whole.Unsafe = whole.Unsafe || s.from.Unsafe
	}
	for _, m := range requires {
		whole.Requires = append(whole.Requires, m.Requirement)
	}
	return &whole, nil
}

// requirements returns those of a profile and of all profiles that it includes, each once. The
// profile must have been flattened before, which checks that it does not include itself.
func requirements(p *Profile, find finder) ([]Missing, error) {
	var all []Missing
	for _, name := range p.Includes {
		if name == p.Name {
			return nil, circle([]string{name, name}) // a profile that is being parsed cannot be found yet
		}
		included, err := find(name)
		if err != nil {
			return nil, err
		}
		theirs, err := requirements(included, find)
		if err != nil {
			return nil, err
		}
		all = append(all, theirs...)
	}
	for _, r := range p.Requires {
		all = append(all, Missing{p.Name, r})
	}
	slices.SortStableFunc(all, func(a, b Missing) int { return strings.Compare(a.Text, b.Text) })
	return slices.CompactFunc(all, func(a, b Missing) bool { return a.Requirement == b.Requirement }), nil
}

// Of returns a profile without a name from values by key, sorted by key.
func Of(set map[string]string) *Profile {
	p := &Profile{}
	for key, value := range set {
		s := Setting{Key: knob.ParseKey(key), Value: strings.TrimSpace(value)}
		if k, err := knob.Resolve("", s.Key); err == nil {
			s.Key.Knob = k.Name // the canonical name: work_mem for WORK_MEM
		}
		p.Settings = append(p.Settings, s)
	}
	slices.SortFunc(p.Settings, func(a, b Setting) int { return strings.Compare(a.Key.String(), b.Key.String()) })
	return p
}

// Together returns the settings of several profiles, later ones replacing earlier ones, as
// Work uses them: the settings that an experiment requests, before a machine's facts are known.
func Together(profiles []*Profile) ([]Setting, error) {
	all, _, err := together(profiles)
	if err != nil {
		return nil, err
	}
	return settingsOf(all), nil
}
