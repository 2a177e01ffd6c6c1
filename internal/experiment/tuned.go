package experiment

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/profile"
)

// TunedSetting is one value that an environment requests, before expressions are evaluated.
type TunedSetting struct {
	profile.Setting
	Layer knob.Layer
	Scope knob.Scope
}

// The two environments of every ablation that have no single part removed.
const (
	AblationNone = "none" // none of the tuning
	AblationAll  = "all"  // all of the tuning
)

// Screen is the kind of an ablation whose environments have various choices of the groups of the tuning.
const Screen = "screen"

// ProfilesOf returns the profiles of an environment, in order; values set without a profile become
// an unnamed profile.
func (e *Experiment) ProfilesOf(env Environment) []*profile.Profile {
	profiles, _ := profilesOf(env) // a loaded experiment has no invalid profile
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

// Resolve returns the profile that an item names or contains. unsafe reports whether the
// environment allows values that can lose data; named profiles and profiles from files declare this
// themselves.
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

// Tuned returns the settings that an environment requests: later items override earlier ones;
// settings named in Without and settings of other engines are dropped. It returns an error for an
// unavailable profile or an unknown knob; a loaded experiment has neither.
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

// Foreign reports whether a key is a parameter of any engine's server. For a server of another
// engine such a key is not applicable, as it is in profiles.
func Foreign(key knob.Key) bool {
	k, err := knob.Resolve("", key)
	return err == nil && k.Layer == knob.Server
}

// Part returns the part that a setting belongs to when tuning is split by layer, group or knob,
// with the names that profile.Parts uses.
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

// In reports whether a word of Without matches a setting, by the rules of profile.Work: its layer,
// its group, its key, or its knob on any target.
func (s TunedSetting) In(word string) bool {
	word = strings.TrimSpace(word)
	return word == string(s.Layer) || word == s.Part("group") ||
		strings.EqualFold(word, s.Key.String()) || strings.EqualFold(word, s.Key.Knob)
}

// HostWide returns, by key, the settings of an environment that affect everything on the machine:
// those of the kernel, of CPUs and interrupts, and of disks and mounts that plinth did not create.
// Values are as in the file, expressions included. Settings of a libvirt domain apply only at its
// next start, so no experiment sets them.
func (e *Experiment) HostWide(env Environment) map[string]string {
	settings, err := Tuned(e.Engine, env)
	if err != nil {
		return nil // only for an experiment that was not loaded
	}
	wide := map[string]string{}
	for _, s := range settings {
		if s.HostWide(env) {
			wide[s.Key.String()] = s.Value
		}
	}
	return wide
}

// HostWide reports whether a setting affects everything on the machine.
func (s TunedSetting) HostWide(env Environment) bool {
	switch s.Layer {
	case knob.Kernel, knob.CPU:
		return true
	case knob.Placement:
		return s.Scope == knob.OfIRQ // interrupts are shared by all processes
	case knob.Block, knob.Mount:
		return s.onForeign(env)
	}
	return false
}

// onForeign reports whether a setting applies to a disk or mount that plinth did not create: one
// given by its name on the machine, or the one below an existing directory. A setting of a volume
// that the environment does not have applies to nothing.
func (s TunedSetting) onForeign(env Environment) bool {
	for _, part := range env.Storage.Parts() {
		if part.Name == s.Key.On {
			return part.Volume.Directory != ""
		}
	}
	return !slices.Contains([]string{RoleData, RoleWAL, RoleTemp}, s.Key.On)
}

// TunesPods reports whether the tuning of any environment has a knob of the layer pod. Then the pods of
// all environments on Kubernetes have only what their tuning asks for.
func (e *Experiment) TunesPods() bool {
	return slices.ContainsFunc(e.OnKubernetes(), func(env Environment) bool {
		env.Without = nil
		settings, _ := Tuned(e.Engine, env) // see HostWide
		return slices.ContainsFunc(settings, func(s TunedSetting) bool { return s.Layer == knob.Pod })
	})
}

// Switched returns, sorted, the keys of host-wide settings in which environments differ: such
// environments cannot run side by side.
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

// sameFacts reports whether, as far as the file shows, an expression must have the same value in
// two environments.
func (e *Experiment) sameFacts(a, b Environment) bool {
	return a.Limits == b.Limits && a.Postgres == b.Postgres && reflect.DeepEqual(a.Storage, b.Storage) &&
		maps.Equal(e.SettingsOf(a), e.SettingsOf(b)) && maps.Equal(e.tunedServer(a), e.tunedServer(b))
}

// tunedServer returns the server settings among an environment's tuning.
func (e *Experiment) tunedServer(env Environment) map[string]string {
	values := map[string]string{}
	settings, _ := Tuned(e.Engine, env) // see HostWide
	for _, s := range settings {
		if s.Layer == knob.Server {
			values[s.Key.String()] = s.Value
		}
	}
	return values
}

// Ablated reports whether the environments of an ablation have been expanded.
func (e *Experiment) Ablated() bool {
	there := func(name string) bool {
		return slices.ContainsFunc(e.Environments, func(env Environment) bool { return env.Name == name })
	}
	return e.Ablate != "" && there(AblationNone) && there(AblationAll)
}

// Screened returns the groups of tuning whose effects a screening design measures; none without one, or if one
// of its environments is missing, since the effects would then depend on each other.
func (e *Experiment) Screened() []string {
	if e.Ablate != Screen || !e.Ablated() {
		return nil
	}
	all := e.Environments[slices.IndexFunc(e.Environments, func(env Environment) bool { return env.Name == AblationAll })]
	var groups []string
	for _, env := range e.Environments {
		for _, group := range env.Without {
			if !slices.Contains(groups, group) && !slices.Contains(all.Without, group) {
				groups = append(groups, group)
			}
		}
	}
	for _, group := range groups {
		if with, without := e.Halves(group); len(with) != len(without) {
			return nil
		}
	}
	return groups
}

// Halves returns the environments of an ablation that have a group of the tuning, and those that lack it.
func (e *Experiment) Halves(group string) (with, without []string) {
	for _, env := range e.Environments {
		if env.Name == AblationNone || slices.Contains(env.Without, group) {
			without = append(without, env.Name)
		} else {
			with = append(with, env.Name)
		}
	}
	return with, without
}

// AllowsUnsafe reports whether any volume allows options that can lose data.
func (e *Environment) AllowsUnsafe() bool {
	return slices.ContainsFunc(e.Volumes(), func(v *Volume) bool { return v.Unsafe })
}
