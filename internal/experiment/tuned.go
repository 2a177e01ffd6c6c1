package experiment

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/profile"
)

// TunedSetting is one value that an environment asks for, before expressions are
// worked out.
type TunedSetting struct {
	profile.Setting
	Layer knob.Layer
	Scope knob.Scope
}

// The environments that every ablation has.
const (
	AblationNone = "none" // nothing of the tuning
	AblationAll  = "all"  // all of it
)

// ProfilesOf are the profiles that an environment asks for, in their order; values that
// stand by themselves are a profile without a name.
func (e *Experiment) ProfilesOf(env Environment) []*profile.Profile {
	profiles, _ := profilesOf(env) // one that was loaded has no others
	return profiles
}

func profilesOf(env Environment) ([]*profile.Profile, error) {
	var profiles []*profile.Profile
	for _, item := range env.Tuning {
		p, err := item.Resolve(env.AllowsUnsafe())
		if err != nil {
			return profiles, err
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
}

// Resolve is the profile that an item names or is. unsafe is whether its environment
// allows values that can lose data; a profile says so itself.
func (t Tuning) Resolve(unsafe bool) (*profile.Profile, error) {
	switch {
	case t.Profile != nil:
		return t.Profile, nil
	case t.Set == nil:
		return profile.Find(t.Name)
	}
	p := profile.Of(t.Set)
	p.Unsafe = unsafe
	return p, nil
}

// Tuned is what an environment asks for: later items take the place of earlier ones,
// and what Without names is left out, and what is of another engine. An error is of a
// profile that cannot be had or of a knob that there is not; an experiment that was
// loaded has none.
func Tuned(engine string, env Environment) ([]TunedSetting, error) {
	profiles, err := profilesOf(env)
	if err != nil {
		return nil, err
	}
	together, err := profile.Together(profiles)
	if err != nil {
		return nil, err
	}
	var settings []TunedSetting
	for _, s := range together {
		k, err := knob.Resolve(engine, s.Key)
		if err != nil && Foreign(s.Key) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tuned := TunedSetting{Setting: s, Layer: k.Layer, Scope: k.Scope}
		if !slices.ContainsFunc(env.Without, tuned.In) {
			settings = append(settings, tuned)
		}
	}
	return settings, nil
}

// Foreign says whether a key is a parameter of any engine's server: one that is not
// this one's is not applicable, as profiles go.
func Foreign(key knob.Key) bool {
	k, err := knob.Resolve("", key)
	return err == nil && k.Layer == knob.Server
}

// Part is what a setting belongs to when tuning is taken apart by layer, group or knob,
// in the names that profile.Parts has for it.
func (s TunedSetting) Part(by string) string {
	switch {
	case by == "layer":
		return string(s.Layer)
	case by == "knob":
		return s.Key.String()
	case s.Group == "":
		return "other " + string(s.Layer)
	}
	return s.Group
}

// In says whether a word of Without names a setting, as profile.Work takes it: its
// layer, its group, its key, or its knob wherever it is.
func (s TunedSetting) In(word string) bool {
	word = strings.TrimSpace(word)
	return word == string(s.Layer) || word == s.Part("group") ||
		strings.EqualFold(word, s.Key.String()) || strings.EqualFold(word, s.Key.Knob)
}

// HostWide is what an environment changes for everything that runs on the machine, by
// key: what it asks for of the kernel, of CPUs and of interrupts, and of disks and mounts
// that plinth did not make. Values are as the file has them, expressions among them. A
// domain takes its own at its next start only, so no experiment sets them.
func (e *Experiment) HostWide(env Environment) map[string]string {
	settings, err := Tuned(e.Engine, env)
	if err != nil {
		return nil // of an experiment that was not loaded
	}
	wide := map[string]string{}
	for _, s := range settings {
		if s.HostWide(env) {
			wide[s.Key.String()] = s.Value
		}
	}
	return wide
}

// HostWide says whether a setting changes the machine for everything that runs on it.
func (s TunedSetting) HostWide(env Environment) bool {
	switch s.Layer {
	case knob.Kernel, knob.CPU:
		return true
	case knob.Placement:
		return s.Scope == knob.OfIRQ // interrupts are everybody's
	case knob.Block, knob.Mount:
		return s.onForeign(env)
	}
	return false
}

// onForeign says whether a setting of a disk or a mount is of one that plinth did not
// make: named as the machine names it, or that under a directory which is there. One
// of a volume that the environment does not have concerns nobody.
func (s TunedSetting) onForeign(env Environment) bool {
	for _, part := range env.Storage.Parts() {
		if part.Name == s.Key.On {
			return part.Volume.Directory != ""
		}
	}
	return !slices.Contains([]string{RoleData, RoleWAL, RoleTemp}, s.Key.On)
}

// Switched are the keys in which environments differ that only the whole machine can
// have, in order: such environments cannot stand side by side.
func (e *Experiment) Switched() []string {
	keys := map[string]bool{}
	var first map[string]string
	for i, env := range e.Environments {
		wide := e.HostWide(env)
		if i == 0 {
			first = wide
		}
		for key, value := range wide {
			same, both := first[key]
			if !both || same != value || isExpression(value) && !e.sameFacts(e.Environments[0], env) {
				keys[key] = true
			}
		}
		for key := range first {
			if _, both := wide[key]; !both {
				keys[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

func isExpression(value string) bool { return strings.HasPrefix(strings.TrimSpace(value), "=") }

// sameFacts says whether an expression can only have one value in two environments, as
// far as the file tells.
func (e *Experiment) sameFacts(a, b Environment) bool {
	return a.Limits == b.Limits && a.Postgres == b.Postgres && reflect.DeepEqual(a.Storage, b.Storage) &&
		maps.Equal(e.SettingsOf(a), e.SettingsOf(b)) && maps.Equal(e.tunedServer(a), e.tunedServer(b))
}

// tunedServer are the values of the server among what an environment tunes.
func (e *Experiment) tunedServer(env Environment) map[string]string {
	values := map[string]string{}
	settings, _ := Tuned(e.Engine, env) // as HostWide
	for _, s := range settings {
		if s.Layer == knob.Server {
			values[s.Key.String()] = s.Value
		}
	}
	return values
}

// Ablated says whether the environments of an ablation are written out.
func (e *Experiment) Ablated() bool {
	there := func(name string) bool {
		return slices.ContainsFunc(e.Environments, func(env Environment) bool { return env.Name == name })
	}
	return e.Ablate != "" && there(AblationNone) && there(AblationAll)
}

// AllowsUnsafe says whether any volume allows what can lose data.
func (e *Environment) AllowsUnsafe() bool {
	return slices.ContainsFunc(e.Volumes(), func(v *Volume) bool { return v.Unsafe })
}
