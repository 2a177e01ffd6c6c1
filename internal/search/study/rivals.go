package study

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/builtin"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/search"
)

// Rivals returns the tunings that a search is confirmed against: those of the built-in experiment profiles for PostgreSQL;
// the server as it comes, and plinth's own profile, for Redis.
func Rivals(engine string) ([]experiment.Environment, error) {
	if engine == "redis" {
		return []experiment.Environment{{Name: "default"}, {Name: "redis", Tuning: []experiment.Tuning{{Name: "redis"}}}}, nil
	}
	e, _, err := builtin.Load("profiles", nil)
	if err != nil {
		return nil, err
	}
	return e.Environments, nil
}

// startName is the environment of the tuning where a search begins: its own name, unless another environment of the
// confirmation has it.
func (s *Study) startName() string {
	tuning := s.base.Environments[0].Tuning
	if s.Start == "default" && len(tuning) == 0 || len(tuning) == 1 && tuning[0].Name == s.Start {
		return s.Start // a rival of this name is the same
	}
	name := nameOf(s.Start)
	rivals, _ := Rivals(s.base.Engine)
	if name == foundName || name == "" || slices.ContainsFunc(rivals, func(e experiment.Environment) bool { return e.Name == name }) {
		return "start"
	}
	return name
}

// nameOf returns a name that an environment may have, from that of another one, or from the path of a profile.
func nameOf(start string) string {
	base := filepath.Base(start)
	if ext := filepath.Ext(base); ext == ".yaml" || ext == ".yml" {
		base = strings.TrimSuffix(base, ext)
	}
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(base)), "-")
}

// rivals returns the environments that a found point is compared with: where the search began, and other advice, unless it
// cannot be set here.
func (s *Study) rivals(ctx context.Context) ([]experiment.Environment, error) {
	own := s.environment(s.startName(), search.New(s.Space).At())
	advice, err := Rivals(s.base.Engine)
	if err != nil {
		return nil, err
	}
	all := []experiment.Environment{own}
	s.unmounted = map[string]string{}
	for _, a := range advice {
		if a.Name == own.Name {
			continue
		}
		e := own
		e.Name, e.Tuning, e.Without = a.Name, a.Tuning, a.Without
		if e.Without, err = without(s.base, e, s.Layers); err != nil {
			return nil, err
		}
		if s.unfit(a.Name) {
			continue
		}
		if e, err = s.followed(ctx, e); err != nil {
			s.Unfit = append(s.Unfit, Unfit{Name: a.Name, Reason: err.Error()})
			continue
		}
		all = append(all, e)
	}
	return all, ctx.Err()
}

// followed returns the environment of advice as it can be set on this machine. Mount options that need a fresh mount are left
// out, so that the rest of the advice can be compared.
func (s *Study) followed(ctx context.Context, e experiment.Environment) (experiment.Environment, error) {
	possible := func(e experiment.Environment) error {
		alone := s.experiment("rival", "Can these values be set?")
		alone.Environments, alone.Baseline = []experiment.Environment{e}, e.Name
		_, err := s.machine.Foresee(ctx, alone)
		return err
	}
	err := possible(e)
	if err == nil || !slices.Contains(s.Layers, knob.Mount) {
		return e, err
	}
	unmounted, others := e, slices.DeleteFunc(slices.Clone(s.Layers), func(l knob.Layer) bool { return l == knob.Mount })
	left, wrong := without(s.base, e, others)
	if wrong != nil || slices.Equal(left, e.Without) { // it has no mount options
		return e, err
	}
	if unmounted.Without = left; possible(unmounted) != nil { // they are not the cause
		return e, err
	}
	s.unmounted[e.Name] = strings.TrimPrefix(err.Error(), "environment "+e.Name+": ")
	return unmounted, nil
}

func (s *Study) unfit(name string) bool {
	return slices.ContainsFunc(s.Unfit, func(u Unfit) bool { return u.Name == name })
}

// outside returns the layers of the tuning of an environment that are not among some layers.
func outside(e *experiment.Experiment, env experiment.Environment, layers []knob.Layer) (names []string, err error) {
	there, err := profile.Parts(e.Engine, e.ProfilesOf(env), "layer")
	for _, layer := range there {
		if !slices.Contains(layers, knob.Layer(layer)) {
			names = append(names, layer)
		}
	}
	return names, err
}

// without returns what to leave out of the tuning of an environment so that only some layers change, and what it leaves out
// itself. A name that is no part of its tuning is left away.
func without(e *experiment.Experiment, env experiment.Environment, layers []knob.Layer) ([]string, error) {
	profiles := e.ProfilesOf(env)
	names, err := outside(e, env, layers)
	if err != nil {
		return nil, err
	}
	for _, name := range env.Without {
		_, left, err := profile.Divide(e.Engine, profiles, []string{name})
		if err != nil {
			return nil, err
		}
		if len(left) > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}
