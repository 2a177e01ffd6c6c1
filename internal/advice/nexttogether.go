package advice

import (
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// FileOfAll returns the experiment file that would decide an answer between records: one experiment with their
// environments, under the load of the record whose environment is chosen.
func FileOfAll(ins []Input, name string) ([]byte, error) {
	if len(ins) == 1 {
		return File(ins[0], name)
	}
	r, err := FindRule(name)
	if err != nil {
		return nil, err
	}
	studies, err := studied(ins)
	if err != nil {
		return nil, err
	}
	for _, g := range groups(studies) {
		choices, err := g.answer(r)
		if err != nil {
			return nil, err
		}
		for _, c := range choices {
			if open := c.Undecided(); len(open) > 0 {
				return g.file(r, c, open)
			}
		}
	}
	return nil, hint.Errorf("name one record, for an answer that is open within it", "no experiment is needed for %s between these records", name)
}

// Undecided returns the environments of other records that may be as good as the chosen one, and those that cannot be
// compared with it.
func (c SharedChoice) Undecided() []Between {
	open := slices.DeleteFunc(slices.Clone(c.Between), func(b Between) bool { return b.Standing != Unknown })
	return append(open, c.Apart...)
}

func (g *group) file(r Rule, c SharedChoice, open []Between) ([]byte, error) {
	at := slices.Index(g.names, c.Record)
	base, err := g.studies[at].Record.Experiment()
	if err != nil {
		return nil, err
	}
	e := *base
	e.Environments, e.Settings = nil, nil // each environment has those of its own experiment
	others := []string{}
	for _, b := range append([]Between{{Environment: c.Environment, of: at}}, open...) {
		env, err := g.whole(b.of, b.Environment)
		if err != nil {
			return nil, fmt.Errorf("cannot write an experiment for %s: %w", r.Name, err)
		}
		for slices.ContainsFunc(e.Environments, func(o experiment.Environment) bool { return o.Name == env.Name }) {
			env.Name += "-2"
		}
		e.Environments, others = append(e.Environments, env), append(others, env.Name)
	}
	under := join(g.studies[at].workloads(""))
	if r.Of != mixed {
		under = c.Workload
		e.Workloads = slices.DeleteFunc(slices.Clone(base.Workloads), func(w experiment.Workload) bool { return w.Name != c.Workload })
	}
	e.Name = "decide-" + r.Name
	e.Question = fmt.Sprintf("Is %s better than %s under %s?", others[0], hint.Choice(others[1:]), under)
	e.Baseline, e.Metric, e.Repeats = others[0], c.Metric, max(base.Repeats, fewestRepeats)
	return file(e, r.Name)
}

// whole returns an environment with what its experiment says for all environments.
func (g *group) whole(of int, name string) (experiment.Environment, error) {
	s := g.studies[of]
	if s.Record.Import != nil || s.Record.Environments[name].Kind == record.BasisImported {
		return experiment.Environment{}, fmt.Errorf("others measured the numbers of %s in %s", name, g.names[of])
	}
	e, err := s.Record.Experiment()
	if err != nil {
		return experiment.Environment{}, err
	}
	at := slices.IndexFunc(e.Environments, func(o experiment.Environment) bool { return o.Name == name })
	if at < 0 {
		return experiment.Environment{}, fmt.Errorf("the experiment of %s has no environment %s", g.names[of], name)
	}
	env := e.Environments[at]
	env.Cost, env.Telemetry = e.CostOf(env), e.TelemetryOf(env)
	if settings := e.SettingsOf(env); len(settings) > 0 {
		env.Settings = settings
	}
	if env.Postgres == (experiment.Postgres{}) {
		env.Postgres = e.Postgres
	}
	if env.Redis == (experiment.Redis{}) {
		env.Redis = e.Redis
	}
	if !env.At.Given() {
		env.At = e.At
	}
	return env, nil
}
