package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/check"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/record"
	"plinth/internal/search"
	"plinth/internal/stats"
	"plinth/internal/unit"
	"plinth/internal/verdict"
)

// sure is the probability from which on a level that seems better than where the search began is taken to the confirmation.
// It is low deliberately: the confirmation is the proof.
const sure = 0.8

// confirming is the share of the time that a confirmation may take, before tunings are left out of it.
const confirming = 0.45

// Confirmation is the comparison of what was found with where the search began and with other advice, from data that the
// search has not used.
type Confirmation struct {
	At        search.Point `json:"at"`        // what was found
	Different bool         `json:"different"` // from the start
	Against   []string     `json:"against"`   // the environments, the start first
	Repeats   int          `json:"repeats"`   // of its experiment
	Record    string       `json:"record,omitempty"`
	Better    bool         `json:"better"`          // than the start, with a verdict, and worse in nothing
	Ended     bool         `json:"ended,omitempty"` // its record is complete
	// Ahead are the tunings that are better than what the search answers with, in something, and worse in nothing.
	Ahead []string `json:"ahead,omitempty"`
	// Verdicts are those of each workload, of what was found against the start.
	Verdicts  []record.Verdict `json:"verdicts,omitempty"`
	Sentences []string         `json:"sentences,omitempty"` // on all environments
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
		alone := s.experiment("rival", "Can these values be set?")
		alone.Environments, alone.Baseline = []experiment.Environment{e}, e.Name
		if _, err := s.machine.Foresee(ctx, alone); err != nil {
			s.Unfit = append(s.Unfit, Unfit{Name: a.Name, Reason: err.Error()})
			continue
		}
		all = append(all, e)
	}
	return all, ctx.Err()
}

func (s *Study) unfit(name string) bool {
	return slices.ContainsFunc(s.Unfit, func(u Unfit) bool { return u.Name == name })
}

// without returns what to leave out of the tuning of an environment so that only some layers change, and what it leaves out
// itself. A name that is no part of its tuning is left away.
func without(e *experiment.Experiment, env experiment.Environment, layers []knob.Layer) ([]string, error) {
	var names []string
	for _, by := range []string{"layer", "group", "knob"} {
		parts, err := profile.Parts(e.Engine, e.ProfilesOf(env), by)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			named := slices.ContainsFunc(env.Without, func(name string) bool { return strings.EqualFold(name, part) })
			if named || by == "layer" && !slices.Contains(layers, knob.Layer(part)) {
				names = append(names, part)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// confirmation returns the experiment that compares a point with others. It loads the dataset again for each repeat, so that
// the chance of one load is not taken for an effect.
func (s *Study) confirmation(at search.Point, others []experiment.Environment, repeats int) *experiment.Experiment {
	e := s.experiment("confirmation", "Is the found tuning better than "+s.Start+" and other advice?")
	e.Dataset.Reload, e.Repeats, e.Stop = "repeat", max(repeats, 1), "end"
	e.Environments = slices.Clone(others)
	if !slices.Equal(at, search.New(s.Space).At()) {
		e.Environments = slices.Insert(e.Environments, 1, s.environment(foundName, at))
	}
	e.Baseline, e.Compare = others[0].Name, []string{experiment.CompareAll}
	if len(e.Environments) == 2 {
		e.Compare = nil
	}
	if repeats == 0 {
		if plan := verdict.PlanOf(e); plan != nil {
			e.Repeats = stats.Fewest(plan.Looks[len(plan.Looks)-1].Alpha, plan.Family)
		}
	}
	return e
}

// opponents returns the environments that fit into a share of the time, and how long their confirmation takes with the fewest
// repeats that allow a verdict. The start is always among them.
func (s *Study) opponents(ctx context.Context) (others []experiment.Environment, takes time.Duration, err error) {
	others, err = s.rivals(ctx)
	if err != nil {
		return nil, 0, err
	}
	s.Plan.NoTime = nil
	for {
		takes, err = s.machine.Foresee(ctx, s.confirmation(s.any(1), others, 0))
		if err != nil {
			return nil, 0, err
		}
		if len(others) == 1 || takes <= time.Duration(confirming*float64(s.For.Duration())) {
			return others, takes, nil
		}
		last := len(others) - 1
		s.Plan.NoTime = append(s.Plan.NoTime, others[last].Name)
		others = others[:last]
	}
}

// Excludes reports whether a level cannot be had.
func (s *State) Excludes(dimension, level int) bool {
	return slices.ContainsFunc(s.Excluded, func(e Excluded) bool { return e.Dimension == dimension && e.Level == level })
}

// reserved returns the time that the confirmation takes, as foreseen. It is an error if there is no time for a round beside it.
func (s *Study) reserved(ctx context.Context) (time.Duration, error) {
	others, takes, err := s.opponents(ctx)
	if err != nil {
		return 0, err
	}
	s.Plan.Confirmation, s.Plan.Repeats = takes, s.confirmation(s.any(1), others, 0).Repeats
	s.Plan.Against = nil
	for _, o := range others {
		s.Plan.Against = append(s.Plan.Against, o.Name)
	}
	if len(s.Rounds) > 0 {
		return takes, nil
	}
	var least time.Duration
	for _, most := range sizes {
		round := s.round(1, search.New(s.Space).At(), s.moves(most))
		if least, err = s.machine.Foresee(ctx, round); err != nil {
			return 0, err
		}
		if s.Plan.Round == 0 {
			s.Plan.Round, s.Plan.Runs = least, len(round.Environments)*len(round.Cells())
		}
	}
	if s.Left() < least+takes {
		return 0, hint.Errorf("use --for "+unit.About(least+takes+time.Minute)+" or more, or shorter runs: --set duration=10s", "cannot search in %s: a round takes %s, and the confirmation of its result %s",
			unit.About(s.For.Duration()), unit.About(least), unit.About(takes))
	}
	return takes, nil
}

// moves returns some moves from the start, for an estimate of the time that a round takes.
func (s *Study) moves(most int) (moves []search.Move) {
	for i, d := range s.Space {
		if level := (d.Start + 1) % len(d.Levels); len(moves) < most && !s.Excludes(i, level) {
			moves = append(moves, search.Move{Dimension: i, From: d.Start, To: level})
		}
	}
	return moves
}

// any returns a point that differs from the start in some dimensions.
func (s *Study) any(moves int) search.Point {
	at := search.New(s.Space).At()
	for _, m := range s.moves(moves) {
		at[m.Dimension] = m.To
	}
	return at
}

// confirm compares what was found, and keeps the answer. Advice with which a server does not start is left out; what was found
// loses the least certain of its changes.
func (s *Study) confirm(ctx context.Context) error {
	if s.Confirmation != nil && s.Confirmation.Ended {
		return nil
	}
	others, takes, err := s.opponents(ctx)
	if err != nil {
		return err
	}
	for {
		if s.Confirmation == nil {
			if err := s.finalists(others, takes); err != nil {
				return err
			}
		}
		c := s.Confirmation
		others = slices.DeleteFunc(others, func(e experiment.Environment) bool { return !slices.Contains(c.Against, e.Name) })
		e := s.confirmation(c.At, others, c.Repeats)
		if len(e.Environments) < 2 {
			c.Ended = true
			return s.save()
		}
		rec, resumed, err := s.execute(ctx, e, false, &c.Record)
		var unstarted *NotStartedError
		if errors.As(err, &unstarted) && unstarted.Environment != s.startName() && !resumed {
			s.leave(unstarted)
			continue
		}
		if err != nil {
			return errors.Join(err, s.save())
		}
		return errors.Join(s.conclude(rec), s.save())
	}
}

// finalists determines what is compared, with as many repeats as there is time for, and not fewer than a verdict needs.
func (s *Study) finalists(others []experiment.Environment, takes time.Duration) error {
	c := &Confirmation{At: s.Best()}
	c.Different = !s.atStart(c.At)
	least := s.confirmation(c.At, others, 0)
	c.Repeats = max(least.Repeats, int(float64(least.Repeats)*0.95*float64(s.Left())/float64(max(s.paced(takes), 1))))
	if most := check.MaxRuns / (len(least.Environments) * len(least.Cells())); c.Repeats > most {
		c.Repeats = max(most, least.Repeats)
	}
	for _, e := range least.Environments {
		c.Against = append(c.Against, e.Name)
	}
	s.Confirmation = c
	return errors.Join(s.save(), s.writeProfile(Candidate, c.At, nil))
}

// leave leaves an environment with which a server does not start out of the confirmation.
func (s *Study) leave(e *NotStartedError) {
	c := s.Confirmation
	if e.Environment == foundName {
		s.weaken(c.At, e.Err.Error())
		s.Confirmation = nil // what is found without it
		return
	}
	s.Unfit = append(s.Unfit, Unfit{Name: e.Environment, Reason: e.Error()})
	c.Against = slices.DeleteFunc(c.Against, func(name string) bool { return name == e.Environment })
}

// conclude takes the answer from the record of the confirmation, and writes the files of what was found.
func (s *Study) conclude(rec *record.Record) error {
	c := s.Confirmation
	if err := s.decide(rec); err != nil {
		return err
	}
	if c.Better {
		if err := errors.Join(s.writeProfile(Found, c.At, c.Verdicts), s.writeAblation()); err != nil {
			return err
		}
	}
	c.Ended = rec.Summary.State == record.Complete
	return nil
}

// decide takes the verdicts of the confirmation.
func (s *Study) decide(rec *record.Record) error {
	c := s.Confirmation
	driven, err := rec.Experiment()
	if err != nil {
		return err
	}
	// An environment that is the same as another one on this machine was left out.
	c.Against = slices.DeleteFunc(c.Against, func(name string) bool {
		return !slices.ContainsFunc(driven.Environments, func(e experiment.Environment) bool { return e.Name == name })
	})
	c.Different = c.Different && slices.Contains(c.Against, foundName)
	c.Verdicts, c.Better, c.Ahead, c.Sentences = nil, false, nil, nil
	if len(c.Against) < 2 {
		return nil
	}
	all, err := verdict.Of(rec, verdict.Options{Metrics: []string{s.Objective}})
	if err != nil {
		return err
	}
	c.Sentences = all.Sentences
	answer := s.startName()
	if c.Different {
		compared, err := s.between(rec, s.startName(), foundName)
		if err != nil {
			return err
		}
		if c.Verdicts, c.Better = compared, ahead(compared); c.Better {
			answer = foundName
		}
	}
	for _, name := range c.Against {
		if name == answer {
			continue
		}
		compared, err := s.between(rec, answer, name)
		if err != nil {
			return err
		}
		if ahead(compared) {
			c.Ahead = append(c.Ahead, name)
		}
	}
	return nil
}

// between returns the verdicts on two environments of a confirmation.
func (s *Study) between(rec *record.Record, baseline, other string) ([]record.Verdict, error) {
	compared, err := verdict.Of(rec, verdict.Options{Environments: []string{baseline, other}, Metrics: []string{s.Objective}})
	if err != nil {
		return nil, err
	}
	return compared.Verdicts, nil
}

// ahead reports whether an environment is better in something and worse in nothing.
func ahead(verdicts []record.Verdict) bool {
	has := func(o record.Outcome) bool {
		return slices.ContainsFunc(verdicts, func(v record.Verdict) bool { return v.Outcome == o })
	}
	return has(record.Better) && !has(record.Worse)
}

// writeProfile writes a point as a profile: what the start has, and what was found, each with its evidence.
func (s *Study) writeProfile(name string, at search.Point, verdicts []record.Verdict) error {
	p, err := s.Profile(at, verdicts)
	if err != nil {
		return err
	}
	text, err := p.YAML()
	if err != nil {
		return err
	}
	return write(filepath.Join(s.dir, name), text)
}

// writeAblation writes the experiment that measures what each part of the found profile does.
func (s *Study) writeAblation() error {
	p, err := s.Profile(s.Confirmation.At, s.Confirmation.Verdicts)
	if err != nil {
		return err
	}
	e := s.experiment("ablation", "What does each part of the found tuning do?")
	env := s.base.Environments[0]
	env.Name, env.Without, env.Tuning = foundName, nil, []experiment.Tuning{{Profile: p}}
	e.Environments, e.Ablate, e.Baseline = []experiment.Environment{env}, "group", ""
	e.Repeats = max(e.Repeats, s.Confirmation.Repeats)
	return write(filepath.Join(s.dir, Ablation), encode.YAML(e))
}

// Profile returns a point as a profile.
func (s *Study) Profile(at search.Point, verdicts []record.Verdict) (*profile.Profile, error) {
	start, _, err := settings(s.base, s.base.Environments[0])
	if err != nil {
		return nil, err
	}
	known := s.Known()
	p := &profile.Profile{
		Name:   foundName,
		About:  fmt.Sprintf("found by plinth tune search for the experiment %s, from %s", s.base.Name, s.Start),
		Source: knob.Source{Author: "plinth tune search", Title: s.base.Question, Section: s.Created.Format(time.DateOnly)},
	}
	for _, v := range verdicts {
		p.About += fmt.Sprintf("; %s: %s %+.1f %% (%+.1f to %+.1f)", v.Workload, v.Metric, 100*v.Effect, 100*v.Low, 100*v.High)
	}
	found := &profile.Profile{}
	for i, level := range at {
		d := s.Space[i]
		for key, value := range d.Levels[level].Values {
			setting := profile.Of(map[string]string{key: value}).Settings[0]
			setting.Group, setting.Reason = d.Name, fmt.Sprintf("against %s, %s changes by %s, as the search estimates it",
				d.Levels[d.Start].Text, s.Objective, s.Change(known.Gain(i, level)))
			found.Settings = append(found.Settings, setting)
		}
	}
	slices.SortFunc(found.Settings, compare)
	p.Settings, err = profile.Together([]*profile.Profile{{Settings: start}, found})
	return p, err
}
