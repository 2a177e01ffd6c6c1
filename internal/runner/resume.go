package runner

import (
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/record"
)

// resumable refuses to complete a record with another experiment or on another
// machine: its blocks would no longer be comparable.
func resumable(rec *record.Record, e *experiment.Experiment, now host.Facts) error {
	if record.Live(rec.Path) {
		return &InputError{hint.Errorf("wait for it, or stop it first",
			"cannot resume %s: another plinth is at work on it", rec.Path)}
	}
	if rec.Summary.State == record.Complete {
		return &InputError{hint.Errorf("run the experiment again for another record",
			"cannot resume %s: it is complete", rec.Path)}
	}
	recorded, err := rec.Experiment()
	if err != nil {
		return &InputError{err}
	}
	if record.Fingerprint(rec.ExperimentYAML) != rec.Summary.Fingerprint {
		return &InputError{hint.Errorf("run the edited experiment as one of its own",
			"cannot resume %s: its experiment.yaml was edited after the first run%s",
			rec.Path, list(experiment.Differences(recorded, e)))}
	}
	if rec.Edited() {
		return &InputError{hint.Errorf("restore the record from a copy",
			"cannot resume %s: its plan (looks, margin or metric) was edited after the first run", rec.Path)}
	}
	if differences := experiment.Differences(recorded, e); len(differences) > 0 {
		return &InputError{hint.Errorf("run the edited experiment as one of its own",
			"cannot resume %s: the experiment differs from the recorded one%s", rec.Path, list(differences))}
	}
	if differences := rec.Summary.Machine.Differences(now); len(differences) > 0 {
		return &MachineChangedError{differences}
	}
	return nil
}

func list(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf(":\n  %s", strings.Join(lines, "\n  "))
}
