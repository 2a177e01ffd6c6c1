package runner

import (
	"fmt"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// decidedError ends an experiment that has its answer before the plan's end. It
// is no failure.
type decidedError struct{ repeat int }

func (e *decidedError) Error() string {
	return fmt.Sprintf("decided at the look after repeat %d", e.repeat)
}

// decided looks whether the experiment may end after so many repeats: at a look
// that was planned, and only when every comparison that has to be decided has a
// word.
func (r *Runner) decided(repeats int) error {
	if r.experiment.Stop != "decided" || !r.looksAfter(repeats) {
		return nil
	}
	s := r.summary
	comparison, err := verdict.Of(r.soFar(s), verdict.Options{})
	if err != nil {
		return err
	}
	if comparison.Look == nil || comparison.Look.Repeat != repeats || !comparison.Decided() {
		return nil
	}
	return &decidedError{repeats}
}

// looksAfter says whether a look is planned after so many repeats.
func (r *Runner) looksAfter(repeats int) bool {
	for _, look := range r.plan().Looks {
		if look.Repeat == repeats && repeats < r.experiment.Repeats {
			return true
		}
	}
	return false
}

func (r *Runner) plan() record.Plan {
	if r.summary.Plan == nil {
		return record.Plan{}
	}
	return *r.summary.Plan
}
