// Package proof writes the experiment that would prove a diagnosis: the run's own, with its environment once
// as it was, and once with the change that a finding suggests.
package proof

import (
	"errors"
	"fmt"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment/derive"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// repeats is the number of blocks of the experiment: the fewest that can show a difference between two
// environments at the usual level.
const repeats = 6

// changed is the name of the environment with the change.
const changed = "changed"

// File returns the experiment file for a finding of a run: of the first change that it suggests and that can be made. An
// error says why no experiment can prove it.
func File(rec *record.Record, run *record.Run, f diagnosis.Finding) (text []byte, err error) {
	err = fmt.Errorf("no change to the environment can test %s (%s)", f.Title, f.Cause)
	for _, try := range f.Try {
		if try.Change == nil {
			continue
		}
		text, failed := experimentFor(rec, run, f, try)
		if failed == nil {
			return text, nil
		}
		err = failed
	}
	return nil, err
}

// experimentFor returns the experiment file for one change.
func experimentFor(rec *record.Record, run *record.Run, f diagnosis.Finding, try diagnosis.Try) ([]byte, error) {
	if rec.Environments[run.Environment].Kind == "connected" {
		return nil, hint.Errorf("change it by hand, and compare two records: plinth compare A B", "plinth does not change the existing server of %s", run.Environment)
	}
	change := onward(rec.Environments[run.Environment].Settings, try.Change)
	if len(change) == 0 {
		return nil, fmt.Errorf("the environment %s has more already: %s", run.Environment, try.Text)
	}
	text, err := derive.File(rec.ExperimentYAML, derive.Experiment{
		Name: "prove-" + f.Cause, Question: "Does it help against " + f.Title + "? " + try.Text,
		Environment: run.Environment, Workload: run.Workload, Clients: []int{run.Clients}, Threads: run.Threads, Rate: run.Rate, Repeats: repeats,
		Changed: changed, Changes: change,
	})
	if errors.Is(err, derive.ErrUnchanged) {
		return nil, fmt.Errorf("the environment %s has nothing that could be changed: %s", run.Environment, try.Text)
	}
	return text, err
}
