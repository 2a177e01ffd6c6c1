package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/strictyaml"
)

// tuning checks the tuning as far as possible without a machine, which may lack what a knob applies
// to. Expressions are not evaluated, because they depend on facts of the machine.
func tuning(notes *mistake.Notes, e *experiment.Experiment) {
	c := &tuningChecker{Notes: notes, e: e, valued: map[*yaml.Node]bool{}}
	for i := range e.Environments {
		env := &e.Environments[i]
		if notes.Sound(env, &env.Tuning, &env.Without) {
			c.tuned(env, "environments."+strictyaml.Bare(env.Name))
		}
	}
	steps(notes, e)
	ablation(notes, e)
}

// tuningChecker checks the tuning of environments.
type tuningChecker struct {
	*mistake.Notes
	e      *experiment.Experiment
	valued map[*yaml.Node]bool // sound values by knob, which may appear in several environments
}

func (c *tuningChecker) tuned(env *experiment.Environment, where string) {
	if len(env.Tuning) == 0 {
		misplaced(c.Notes, &env.Without, false, "add tuning, or leave it out", where, "\"without\" requires tuning, but none is given")
		return
	}
	sound := true
	for i := range env.Tuning {
		sound = c.tuningItem(env, &env.Tuning[i], where+".tuning") && sound
	}
	if !sound {
		return
	}
	whole := *env
	whole.Without = nil
	settings, err := experiment.Tuned(c.e.Engine, whole)
	if err != nil {
		c.Refused(c.Places[&env.Tuning], err, where+".tuning: ")
		return
	}
	left(c.Notes, env, settings, where)
	settings = slices.DeleteFunc(settings, func(s experiment.TunedSetting) bool { return slices.ContainsFunc(env.Without, s.In) })
	from := sources(env)
	if env.Kubernetes.There() {
		inPod(c.Notes, c.e.Engine, env, settings, from, where)
		return
	}
	wide(c.Notes, c.e, env, settings, from, where)
	placed(c.Notes, env, settings, from, where)
}

// tuningItem checks one item on its own and reports whether it is sound.
func (c *tuningChecker) tuningItem(env *experiment.Environment, t *experiment.Tuning, where string) bool {
	if !c.Sound(t) || t.Set != nil && !c.values(env, t, where) {
		return false
	}
	p, err := t.Resolve(false)
	if err != nil {
		c.Add(c.Places[t], hint.DidYouMean(t.Name, profile.Names(), "plinth tune profiles lists the profiles; the name of a profile file has a slash or ends in .yaml"),
			"%s: there is no profile %s", where, strictyaml.Quote(t.Name))
		return false
	}
	flat, err := p.Flat()
	for _, s := range flat {
		if err == nil && (t.Set != nil || !experiment.Foreign(s.Key) || c.own(s.Key)) {
			err = c.value(s)
		}
	}
	if err != nil {
		c.Refused(c.Places[t], err, where+": ")
	}
	return err == nil
}

// own reports whether the engine under test has a knob.
func (c *tuningChecker) own(key knob.Key) bool {
	_, err := knob.Resolve(c.e.Engine, key)
	return err == nil
}

// values checks values by knob by the rules for profiles.
func (c *tuningChecker) values(env *experiment.Environment, t *experiment.Tuning, where string) bool {
	n := c.Places[t]
	if c.valued[n] {
		return true
	}
	tree := mistake.Mapping(n, []*yaml.Node{c.Word("name", n), c.Word("values", n), c.Word("settings", n), n})
	if env.AllowsUnsafe() {
		tree.Content = append(tree.Content, c.Word("unsafe", n), c.Word("true", n))
	}
	if _, err := profile.FromNode("", tree); err != nil {
		c.Refused(n, err, where+": ")
		return false
	}
	c.valued[n] = !env.AllowsUnsafe() // sound without unsafe implies sound with it
	return true
}

// value returns an error if a value is not allowed for this engine or for a server that plinth
// creates. The reader of profiles has already checked it against its knob.
func (c *tuningChecker) value(s profile.Setting) error {
	k, err := knob.Resolve(c.e.Engine, s.Key)
	switch {
	case err != nil:
		return err
	case k.Needs == knob.CannotBeSet:
		return hint.Errorf("leave it out", "%s can only be read", s.Key)
	case hasControl(s.Value):
		return fmt.Errorf("a line break or control character in the value of %s", s.Key)
	case k.Layer == knob.Server:
		return Setting(c.e.Engine, k.Name, s.Value)
	}
	return nil
}

// left checks that the tuning contains every part named in without.
func left(notes *mistake.Notes, env *experiment.Environment, settings []experiment.TunedSetting, where string) {
	var known []string
	for _, by := range []string{"layer", "group", "knob"} {
		for _, s := range settings {
			if part := s.Part(by); !slices.Contains(known, part) {
				known = append(known, part)
			}
		}
	}
	for i := range env.Without {
		word := &env.Without[i]
		if notes.Sound(word) && !slices.ContainsFunc(settings, func(s experiment.TunedSetting) bool { return s.In(*word) }) {
			notes.Add(notes.Places[word], hint.DidYouMean(*word, known, "known here: "+strictyaml.Shorten(strings.Join(known, ", "))),
				"%s.without: no part of the tuning is named %s", where, strictyaml.Quote(*word))
		}
	}
}

// wide notes host-wide settings without allow_host.
func wide(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, settings []experiment.TunedSetting, from map[knob.Key]int, where string) {
	if e.AllowHost || !notes.Sound(&e.AllowHost) {
		return
	}
	for i := range env.Tuning {
		var keys []string
		made := true // whether volumes that plinth creates would solve it
		for _, s := range settings {
			if from[s.Key] == i && s.HostWide(*env) {
				keys = append(keys, s.Key.String())
				made = made && (s.Layer == knob.Block || s.Layer == knob.Mount)
			}
		}
		if len(keys) == 0 {
			continue
		}
		advice := "add allow_host: true if you may change this machine; plinth restores all settings"
		if made && env.Connect == "" {
			advice = "use a volume that plinth creates (device, file, emulate), or add allow_host: true; plinth restores all settings"
		}
		notes.Add(notes.Places[&env.Tuning[i]], advice, "%s.tuning changes %s for the whole machine", where, someOf(keys))
	}
}

// sources maps the key of each value to the index of the tuning item that sets it.
func sources(env *experiment.Environment) map[knob.Key]int {
	from := map[knob.Key]int{}
	for i, item := range env.Tuning {
		p, err := item.Resolve(false)
		if err != nil {
			continue // already noted
		}
		flat, _ := p.Flat() // errors are already noted
		for _, s := range flat {
			from[s.Key] = i
		}
	}
	return from
}

// someOf formats a list, shortened if it is long: "a, b and c", or "a, b, c and 4 more".
func someOf(words []string) string {
	const few = 3
	last := len(words) - 1
	switch {
	case last < 1:
		return strings.Join(words, ", ")
	case last <= few:
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:few], ", "), len(words)-few)
}

// placed notes tuning of a server or volume that plinth creates in an environment with connect, and
// CPUs that limits already set.
func placed(notes *mistake.Notes, env *experiment.Environment, settings []experiment.TunedSetting, from map[knob.Key]int, where string) {
	for _, s := range settings {
		var err error
		switch {
		case s.Layer == knob.Pod:
			err = errors.New("it applies only with kubernetes")
		case s.Scope == knob.OfServer && s.Layer == knob.Placement && env.Connect != "":
			err = errors.New("it applies only to a server that plinth creates")
		case (s.Layer == knob.Block || s.Layer == knob.Mount) && env.Connect != "" && !s.HostWide(*env):
			err = errors.New("it applies only to a volume that plinth creates")
		case s.Key == (knob.Key{Knob: "cpus"}) && env.Limits.CPUs > 0:
			err = errors.New("limits.cpus already sets it")
		}
		if err != nil {
			notes.Add(notes.Places[&env.Tuning[from[s.Key]]], "add without: ["+s.Key.String()+"]", "%s.tuning: %s: %v", where, s.Key, err)
		}
	}
}
