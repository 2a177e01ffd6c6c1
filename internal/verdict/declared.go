package verdict

import (
	"fmt"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// restore is the hint for a record that no longer matches its declaration.
const restore = "restore the record from a copy"

// experimentOf returns the experiment of a record as it was declared.
func experimentOf(rec *record.Record) (*experiment.Experiment, error) {
	if err := unedited(rec); err != nil {
		return nil, err
	}
	exp, err := rec.Experiment()
	if err != nil {
		return nil, fmt.Errorf("cannot read the experiment of record %s: %w", rec.Path, err)
	}
	return exp, nil
}

// planOf returns the plan of a record of several environments or, where it has none, the
// plan that follows from its experiment.
func planOf(rec *record.Record, exp *experiment.Experiment) (record.Plan, error) {
	plan := rec.Summary.Plan
	if plan == nil {
		plan = PlanOf(exp)
	}
	if err := sound(plan, exp); err != nil {
		return *plan, hint.Errorf(restore, "cannot compare: the plan of %s is damaged: %w", name(rec), err)
	}
	return *plan, nil
}

// spendable is the error of all looks together, with a tolerance for rounding.
const spendable = 0.05 + 1e-9

// sound refuses a plan that plinth would not have made. A record may come from an
// untrusted source, and with an alpha of 1 any claim passes.
func sound(p *record.Plan, e *experiment.Experiment) error {
	last, spent := record.Look{}, 0.0
	for _, look := range p.Looks {
		spent += look.Alpha
		switch {
		case look.Repeat < 1:
			return fmt.Errorf("there is a look at repeat %d", look.Repeat)
		case look.Repeat <= last.Repeat:
			return fmt.Errorf("the look at repeat %d is listed after the one at repeat %d", look.Repeat, last.Repeat)
		case !(look.Alpha > 0):
			return fmt.Errorf("the look at repeat %d has alpha %g, which must be above 0", look.Repeat, look.Alpha)
		case !(spent <= spendable):
			return fmt.Errorf("the alphas of the looks up to repeat %d add up to %.4g, more than 0.05", look.Repeat, spent)
		}
		last = look
	}
	switch {
	case last.Repeat == 0:
		return fmt.Errorf("it has no looks")
	case p.Unit != unitBlock && p.Unit != unitRepeat:
		return fmt.Errorf("unknown unit %q", p.Unit)
	case p.Family < 1 || p.Cells < p.Family:
		return fmt.Errorf("workload comparisons: %d, cell comparisons: %d; there must be at least one of workloads, and at least as many of cells", p.Family, p.Cells)
	}
	for _, look := range p.Looks {
		if units := look.Repeat * unitsEach(p.Unit, e); look.Repeat > e.Repeats || look.Units != units {
			return fmt.Errorf("a look at repeat %d with %d %ss is impossible in %d repeats", look.Repeat, look.Units, p.Unit, e.Repeats)
		}
	}
	return soundMargin(p.Margin)
}

// soundMargin refuses a margin outside 0 to 1.
func soundMargin(margin float64) error {
	if margin >= 0 && margin <= 1 {
		return nil
	}
	return fmt.Errorf("a margin of %g %% is not between 0 %% and 100 %%", 100*margin)
}

// unedited refuses a record whose experiment or plan differs from the declaration before its
// first run: with looks chosen afterwards any claim passes.
func unedited(rec *record.Record) error {
	if record.Fingerprint(rec.ExperimentYAML) != rec.Summary.Fingerprint {
		return hint.Errorf(restore, "cannot compare: experiment.yaml of %s was edited after the experiment began", name(rec))
	}
	declared := record.DeclaredFingerprint(rec.ExperimentYAML, rec.Summary.Plan)
	for _, run := range rec.Runs {
		if run.Declared != "" && run.Declared != declared {
			return hint.Errorf(restore, "cannot compare: the plan of %s (looks, margin or metric) was edited after the first run", name(rec))
		}
	}
	return nil
}
