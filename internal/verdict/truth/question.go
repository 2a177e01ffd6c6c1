package truth

import (
	"math"
	"slices"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// called reports whether any of the verdicts is better or worse.
func called(verdicts []record.Verdict) bool {
	return slices.ContainsFunc(verdicts, func(v record.Verdict) bool { return v.Outcome == record.Better || v.Outcome == record.Worse })
}

// declared returns the verdicts by the declared metric.
func declared(c *verdict.Comparison) []record.Verdict {
	var all []record.Verdict
	for _, v := range c.Verdicts {
		if v.Metric == c.Plan.Metric {
			all = append(all, v)
		}
	}
	return all
}

// numbers returns the numbers behind a comparison.
func numbers(c *verdict.Comparison) []float64 {
	var all []float64
	for _, v := range append(declared(c), c.Cells...) {
		all = append(all, v.Effect, v.Low, v.High, v.Level, v.P)
	}
	return all
}

// differs asks whether any workload was called better or worse, at any look that is
// reached.
func (t *Trial) differs(seed uint64) (Answer, error) {
	return t.anyLook(seed, func(c *verdict.Comparison) bool { return called(declared(c)) })
}

// cellsDiffer asks the same of cells, which are a separate family.
func (t *Trial) cellsDiffer(seed uint64) (Answer, error) {
	return t.anyLook(seed, func(c *verdict.Comparison) bool { return called(c.Cells) })
}

func (t *Trial) anyLook(seed uint64, is func(*verdict.Comparison) bool) (Answer, error) {
	s, err := t.simulate(seed)
	if err != nil {
		return Answer{}, err
	}
	looks, err := s.looks()
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	for _, c := range looks {
		a.Yes = a.Yes || is(c)
		a.Numbers = append(a.Numbers, numbers(c)...)
	}
	return a, nil
}

// after asks whether the first comparison has this outcome after that many repeats.
func (t *Trial) after(repeat int, word record.Outcome, seed uint64) (Answer, error) {
	c, err := t.compare(repeat, seed)
	if err != nil {
		return Answer{}, err
	}
	return Answer{declared(c)[0].Outcome == word, numbers(c)}, nil
}

// covers asks whether the interval of a comparison contains the true effect.
func (t *Trial) covers(repeat, which int, seed uint64) (Answer, error) {
	c, err := t.compare(repeat, seed)
	if err != nil {
		return Answer{}, err
	}
	v := declared(c)[which]
	truth := t.truth(v.Workload)
	return Answer{v.Low <= truth && truth <= v.High, numbers(c)}, nil
}

func (t *Trial) compare(repeat int, seed uint64) (*verdict.Comparison, error) {
	s, err := t.simulate(seed)
	if err != nil {
		return nil, err
	}
	return s.at(repeat)
}

// truth returns the true effect on a workload: the mean over its cells.
func (t *Trial) truth(workload string) float64 {
	if t.Effect == nil {
		return 0
	}
	sum, cells := 0.0, 0.0
	for _, cell := range t.Experiment.Cells() {
		if cell.Workload == workload {
			sum, cells = sum+t.Effect(cell), cells+1
		}
	}
	return math.Expm1(sum / cells)
}
