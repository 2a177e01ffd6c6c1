package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/check"
	"plinth/internal/record"
	"plinth/internal/search"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// sure is the probability from which on a level that seems better than where the search began is taken to the confirmation.
// It is low deliberately: the confirmation is the proof.
const sure = 0.8

// Confirmation is the comparison of what was found with where the search began and with other advice, from data that the
// search has not used.
type Confirmation struct {
	At        search.Point `json:"at"`                // what was found
	Different bool         `json:"different"`         // from the start
	Against   []string     `json:"against"`           // the environments, the start first
	NoTime    []string     `json:"no_time,omitempty"` // other advice that was left out, as there was no time for it
	Repeats   int          `json:"repeats"`           // of its experiment; 0 until they are planned
	Record    string       `json:"record,omitempty"`
	Better    bool         `json:"better"`          // than the start, with a verdict, and worse in nothing
	Ended     bool         `json:"ended,omitempty"` // its record is complete
	// Ahead are the tunings that are better than what the search answers with, in something, and worse in nothing.
	Ahead []string `json:"ahead,omitempty"`
	// Verdicts are those of each workload, of what was found against the start.
	Verdicts []record.Verdict `json:"verdicts,omitempty"`
	// Beside holds another metric: p99, or TPS if a latency is the objective. It decides nothing.
	Beside []record.Verdict `json:"beside,omitempty"`
	// Same says that what was found is the same as another tuning on this machine.
	Same      bool     `json:"same,omitempty"`
	Sentences []string `json:"sentences,omitempty"` // on all environments
}

// confirmation returns the experiment that compares a point with others. It loads the dataset again for each repeat, so that
// the chance of one load is not taken for an effect.
func (s *Study) confirmation(at search.Point, others []experiment.Environment, repeats int) *experiment.Experiment {
	name := "confirmation"
	if s.Confirmations > 0 { // an earlier one lost an environment: its record cannot be completed
		name = fmt.Sprintf("confirmation-%d", s.Confirmations+1)
	}
	e := s.experiment(name, "Is the found tuning better than "+s.Start+" and other advice?")
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
		e.Repeats = sparing(e)
	}
	return e
}

// sparing returns the fewest repeats of an experiment that allow a verdict, and some more: blocks with an invalid run do not count.
func sparing(e *experiment.Experiment) int {
	plan := verdict.PlanOf(e)
	if plan == nil {
		return 1
	}
	fewest := stats.Fewest(plan.Looks[len(plan.Looks)-1].Alpha, plan.Family)
	return fewest + max(2, fewest/5)
}

// confirm compares what was found, and keeps the answer. Advice with which a server does not start is left out; what was found
// loses the least certain of its changes.
func (s *Study) confirm(ctx context.Context) error {
	if s.Confirmation != nil && s.Confirmation.Ended {
		return nil
	}
	others, _, err := s.opponents(ctx)
	if err != nil {
		return err
	}
	for again := true; ; {
		if s.Confirmation == nil {
			if err := s.finalists(others); err != nil {
				return err
			}
		}
		c := s.Confirmation
		others = slices.DeleteFunc(others, func(e experiment.Environment) bool { return !slices.Contains(c.Against, e.Name) })
		if c.Repeats == 0 {
			if err := s.affordable(ctx, others); err != nil {
				return errors.Join(err, s.save())
			}
		}
		e := s.confirmation(c.At, others, c.Repeats)
		if len(e.Environments) < 2 {
			c.Ended = true
			return s.save()
		}
		rec, _, err := s.execute(ctx, e, false, &c.Record)
		if s.lost(err, &again) {
			continue
		}
		if err != nil && (rec == nil || rec.Summary.State != record.Complete) {
			return errors.Join(err, s.save())
		}
		// A result counts even if something could not be put back after it.
		return errors.Join(err, s.conclude(rec), s.save())
	}
}

// finalists determines what is compared.
func (s *Study) finalists(others []experiment.Environment) error {
	c := &Confirmation{At: s.Best(), NoTime: s.Plan.NoTime}
	c.Different = !s.atStart(c.At)
	for _, e := range s.confirmation(c.At, others, 0).Environments {
		c.Against = append(c.Against, e.Name)
	}
	s.Confirmation = c
	return errors.Join(s.save(), s.writeProfile(Candidate, c.At, nil))
}

// affordable gives a confirmation as many repeats as there is time for, and not fewer than a verdict needs.
func (s *Study) affordable(ctx context.Context, others []experiment.Environment) error {
	c := s.Confirmation
	least := s.confirmation(c.At, others, 0)
	takes, err := s.machine.Foresee(ctx, least)
	if err != nil {
		return err
	}
	takes = s.paced(time.Duration(float64(takes) * s.drivenAgain(len(least.Environments))))
	c.Repeats = max(least.Repeats, int(float64(least.Repeats)*0.95*float64(s.Left())/float64(max(takes, 1))))
	if most := check.MaxRuns / (len(least.Environments) * len(least.Cells())); c.Repeats > most {
		c.Repeats = max(most, least.Repeats)
	}
	return s.save()
}

// lost reports whether a confirmation goes on after an error: a server did not start. If it has started before, it is tried once
// again; otherwise its environment is left out.
func (s *Study) lost(err error, again *bool) bool {
	var unstarted *NotStartedError
	switch {
	case !errors.As(err, &unstarted):
		return false
	case unstarted.before() && *again:
		*again = false
	case unstarted.Environment == s.startName():
		return false
	default:
		s.leave(unstarted)
	}
	return true
}

// leave leaves an environment with which a server does not start out of the confirmation.
func (s *Study) leave(e *NotStartedError) {
	c := s.Confirmation
	s.Confirmations++
	if e.Environment == foundName {
		s.weaken(c.At, e.Err.Error())
		s.Confirmation = nil // what is found without it
		return
	}
	s.Unfit = append(s.Unfit, Unfit{Name: e.Environment, Reason: e.Error()})
	c.Against = slices.DeleteFunc(c.Against, func(name string) bool { return name == e.Environment })
	c.Repeats = 0 // it begins anew, in the time that is left
}

// conclude takes the answer from the record of the confirmation, and writes the files of what was found.
func (s *Study) conclude(rec *record.Record) error {
	c := s.Confirmation
	s.confirmed = rec
	s.weaknesses(rec)
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
	c.Same = c.Different && !slices.Contains(c.Against, foundName)
	c.Different = c.Different && !c.Same
	c.Verdicts, c.Beside, c.Better, c.Ahead, c.Sentences = nil, nil, false, nil, nil
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
		compared, err := s.between(rec, s.startName(), foundName, s.Objective)
		if err != nil {
			return err
		}
		if c.Beside, err = s.between(rec, s.startName(), foundName, s.beside()); err != nil {
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
		compared, err := s.between(rec, answer, name, s.Objective)
		if err != nil {
			return err
		}
		if ahead(compared) {
			c.Ahead = append(c.Ahead, name)
		}
	}
	return nil
}

// beside is the metric that is shown beside the objective.
func (r Request) beside() string {
	if r.Lower() {
		return "tps"
	}
	return "p99"
}

// between returns the verdicts on two environments of a confirmation.
func (s *Study) between(rec *record.Record, baseline, other, metric string) ([]record.Verdict, error) {
	compared, err := verdict.Of(rec, verdict.Options{Environments: []string{baseline, other}, Metrics: []string{metric}})
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
