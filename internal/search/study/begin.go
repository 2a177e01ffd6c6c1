package study

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/search"
	"plinth/internal/unit"
)

// Allowed are the layers that a search may change, from the bottom up.
var Allowed = []knob.Layer{knob.Kernel, knob.Block, knob.Mount, knob.Server}

// New prepares a search for a better tuning of an experiment's baseline. Start is the tuning where it begins. It
// changes nothing and writes nothing.
func New(ctx context.Context, e *experiment.Experiment, start []experiment.Tuning, request Request, version string, machine Machine) (*Study, error) {
	if err := CheckObjective(request.Objective, e); err != nil {
		return nil, err
	}
	s := &Study{machine: machine, now: time.Now}
	s.State = State{Schema: Schema, Request: request, Engine: e.Engine, Version: version, Created: time.Now().UTC().Truncate(time.Second)}
	s.Objective = experiment.PlainName(request.Objective)
	determined, err := s.take(e, start)
	if err != nil {
		return nil, err
	}
	if err := s.survey(ctx, determined); err != nil {
		return nil, err
	}
	if err := s.checked(ctx); err != nil {
		return nil, err
	}
	s.began = s.now()
	if _, err = s.reserved(ctx); err != nil {
		return s, err
	}
	s.Notes, err = s.notes(e, start)
	return s, err
}

// take keeps the experiment with its baseline alone, tuned as the search begins. It returns the keys of the knobs, and the
// layers, that the experiment determines, so that they are not tried.
func (s *Study) take(e *experiment.Experiment, start []experiment.Tuning) (determined []string, err error) {
	i := slices.IndexFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == e.Baseline })
	base, env := *e, e.Environments[i]
	switch {
	case e.Transactions > 0:
		return nil, hint.Errorf("use --set duration=20s instead of transactions", "cannot search: how long a run of %d transactions takes is not known", e.Transactions)
	case env.Connect.Secret() != "":
		return nil, hint.Errorf("use storage: with it plinth creates a server of its own, like the existing one", "cannot search on an existing server: it would be restarted again and again with other settings")
	case env.Replica.There():
		return nil, hint.Errorf("leave replica out of the environment", "cannot search with a replica: it follows one server, and the environments of a round share their data")
	case env.Kubernetes.There() || env.At.There():
		return nil, hint.Errorf("start plinth on that machine", "cannot search on another machine")
	}
	env.Tuning = start
	if len(start) == 1 && start[0].Name == s.Start {
		rivals, err := Rivals(e.Engine)
		if err != nil {
			return nil, err
		}
		for _, r := range rivals {
			if r.Name == s.Start { // what the experiment profiles leaves out of it
				env.Without = slices.Concat(env.Without, r.Without)
			}
		}
	}
	_, left, err := profile.Divide(e.Engine, e.ProfilesOf(env), env.Without)
	if err != nil {
		return nil, err
	}
	determined = append(fixed(e, env), env.Without...)
	for _, one := range left {
		determined = append(determined, one.Key.String())
	}
	if env.Without, err = without(e, env, s.Layers); err != nil {
		return nil, err
	}
	base.Environments, base.Baseline, base.Compare, base.Steps, base.Ablate = []experiment.Environment{env}, env.Name, nil, nil, ""
	s.base = &base
	return determined, nil
}

// survey finds what can be tried on the machine, apart from what the experiment determines.
func (s *Study) survey(ctx context.Context, determined []string) error {
	scope, err := s.machine.Scope(ctx, s.base)
	if err != nil {
		return err
	}
	kept, err := s.startSettings()
	if err != nil {
		return err
	}
	scope.Engine, scope.Layers, scope.Restarts, scope.Refused, scope.Fixed = s.base.Engine, s.Layers, s.Restarts, s.Refused, determined
	scope.Start = []*profile.Profile{{Settings: kept, Unsafe: s.unsafe()}}
	rivals, err := Rivals(s.base.Engine)
	if err != nil {
		return err
	}
	for _, r := range rivals {
		if len(r.Tuning) > 0 && r.Name != s.startName() {
			scope.Advice = append(scope.Advice, search.Advice{Name: r.Name, Profiles: s.base.ProfilesOf(r)})
		}
	}
	s.Space, err = search.Space(scope)
	return err
}

// longEnough is the length of a run from which costs that come later than the writes that cause them are in it.
const longEnough = unit.Duration(time.Minute)

// notes says what weakens a search.
func (s *Study) notes(e *experiment.Experiment, start []experiment.Tuning) (all []string, err error) {
	if d := s.base.Duration; d < longEnough {
		all = append(all, fmt.Sprintf("Runs take %s: they miss the later cost of checkpoints, write-back and vacuum, so that values that defer it look better than they are. Use --set duration=60s.", d))
	}
	if names := s.unseen(); len(names) > 0 {
		all = append(all, fmt.Sprintf("Runs of %s see no timed checkpoint and hardly any vacuum: they miss what values of %s cost then.", s.base.Duration, strings.Join(names, ", ")))
	}
	rivals, err := Rivals(e.Engine)
	if err != nil {
		return nil, err
	}
	own := s.base.Environments[0]
	own.Name, own.Tuning, own.Without = s.startName(), start, nil
	for _, env := range append([]experiment.Environment{own}, rivals...) {
		if !slices.Contains(s.Plan.Against, env.Name) {
			continue
		}
		left, err := outside(e, env, s.Layers)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("What %s has in the layers %s is left out of it.", env.Name, strings.Join(left, ", "))
		if len(left) > 0 && !slices.Contains(all, text) { // the start may be one of the rivals
			all = append(all, text)
		}
		if why := s.unmounted[env.Name]; why != "" {
			all = append(all, fmt.Sprintf("The mount options of %s are left out of it: %s.", env.Name, why))
		}
	}
	return all, nil
}

// unseen returns the dimensions whose costs come less often than runs are long.
func (s *Study) unseen() (names []string) {
	const often = unit.Duration(5 * time.Minute) // PostgreSQL's default of checkpoint_timeout
	for _, d := range s.Space {
		if s.base.Duration < often && (slices.Contains(d.Knobs, "checkpoint_timeout") || slices.Contains(d.Knobs, "autovacuum_naptime")) {
			names = append(names, d.Name)
		}
	}
	return names
}

// startSettings returns the settings of the tuning where the search begins.
func (s *Study) startSettings() ([]profile.Setting, error) {
	env := s.base.Environments[0]
	kept, _, err := profile.Divide(s.base.Engine, s.base.ProfilesOf(env), env.Without)
	return kept, err
}

// unsafe reports whether the tuning where the search begins may weaken durability.
func (s *Study) unsafe() bool {
	return slices.ContainsFunc(s.base.ProfilesOf(s.base.Environments[0]), func(p *profile.Profile) bool { return p.Unsafe })
}

// fixed returns the keys of the knobs that an experiment sets, which no tuning changes.
func fixed(e *experiment.Experiment, env experiment.Environment) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(e.Settings)), slices.Collect(maps.Keys(env.Settings)))
	if data := env.Storage.Data; data.ReadAhead != 0 {
		keys = append(keys, "read_ahead_kb@data")
	}
	if env.Storage.Data.Scheduler != "" {
		keys = append(keys, "scheduler@data")
	}
	return keys
}

// Create makes the directory of a search.
func (s *Study) Create(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, Records), 0o755); err != nil {
		return fmt.Errorf("cannot create the directory of a search: %w", err)
	}
	s.dir, s.began = dir, s.now()
	if err := s.write(experimentFile, encode.YAML(s.base)); err != nil {
		return err
	}
	return s.save()
}

// Dir returns the directory of a search.
func (s *Study) Dir() string { return s.dir }
