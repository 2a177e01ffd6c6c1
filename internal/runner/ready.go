package runner

import (
	"context"
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/hosttuning"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/tuning"
	"plinth/internal/tune"
)

// ready checks everything that can be checked before anything is created or changed.
func (r *Runner) ready(ctx context.Context) error {
	if r.options.Resume != nil {
		now, err := r.machine.facts()
		if err != nil {
			return err
		}
		if err := resumable(r.options.Resume, r.experiment, now); err != nil {
			return err
		}
	}
	var err error
	if r.tuning, err = tuning.Work(ctx, r.options.Experiment, r.machine.look); err != nil {
		return &InputError{err}
	}
	r.experiment = r.tuning.Experiment
	r.host = hosttuning.New(tune.Kernel{}, r.tuning.Requests(tune.Kernel{}))
	ahead, err := r.foresee()
	if err != nil {
		return &InputError{err}
	}
	r.options.Experiment.Dataset.Scale = r.experiment.Dataset.Scale // as fitted to the memory
	plans, err := r.host.Plans(ctx, r.experiment)
	if err != nil {
		return &InputError{err}
	}
	ahead.Tuned, ahead.LeftOut = r.tuning.Foreseen(plans), r.tuning.LeftOut
	r.preview = ahead
	if err := preview.Check(ctx, r.experiment, ahead); err != nil {
		return &InputError{err}
	}
	erased, err := preview.Erases(ctx, r.experiment)
	if err != nil {
		return &InputError{err}
	}
	ahead.Warnings = append(ahead.Warnings, erased...)
	r.preview = ahead
	r.options.Warnings = append(r.options.Warnings, ahead.Warnings...)
	r.launcher = launch.NewLocal()
	r.driver, err = engines.Of(r.experiment).Driver(r.experiment)
	if err != nil {
		return &InputError{err}
	}
	return nil
}

// foresee builds the preview. A resumed experiment keeps the scale, and whether servers run
// side by side, as settled when it began.
func (r *Runner) foresee() (preview.Preview, error) {
	if r.options.Resume == nil {
		return preview.NewFitted(r.experiment, r.host)
	}
	ahead, err := preview.New(r.experiment, r.host)
	if err != nil {
		return ahead, err
	}
	if r.options.Resume.Summary.SideBySide && !ahead.SideBySide {
		return ahead, hint.Errorf("free some memory, then resume",
			"the experiment began with all servers side by side, and there is no longer enough memory for that")
	}
	ahead.SideBySide = r.options.Resume.Summary.SideBySide
	return ahead, nil
}

// announceChanges lists the machine-wide changes before any of them is applied.
func (r *Runner) announceChanges() []string {
	var lines []string
	for _, e := range r.preview.Tuned {
		var changes []string
		for _, k := range e.Knobs {
			if k.Host && k.NotApplicable == "" && k.Was != k.Value {
				changes = append(changes, fmt.Sprintf("%s %s (now %s)", k.Key, k.Value, k.Was))
			}
		}
		if changes != nil {
			lines = append(lines, fmt.Sprintf("changes to this machine for %s: %s", e.Name, strings.Join(changes, ", ")))
		}
	}
	if lines != nil {
		lines = append(lines, "all changes to this machine are undone at the end")
	}
	for _, l := range r.tuning.LeftOut {
		lines = append(lines, fmt.Sprintf("%s is left out, not applicable here: %s", l.Environment, l.Reason))
	}
	return lines
}

// resumable refuses to complete a record with another experiment or on another machine: its
// blocks would no longer be comparable.
func resumable(rec *record.Record, e *experiment.Experiment, now host.Facts) error {
	if record.Live(rec.Path) {
		return &InputError{hint.Errorf("wait for it, or stop it first",
			"cannot resume %s: another plinth is running it", rec.Path)}
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
		return &InputError{hint.Errorf("run the edited experiment as a new one",
			"cannot resume %s: its experiment.yaml was edited after the first run%s",
			rec.Path, list(encode.Differences(recorded, e)))}
	}
	if rec.Edited() {
		return &InputError{hint.Errorf("restore the record from a copy",
			"cannot resume %s: its plan (looks, margin or metric) was edited after the first run", rec.Path)}
	}
	if differences := encode.Differences(recorded, e); len(differences) > 0 {
		return &InputError{hint.Errorf("run the edited experiment as a new one",
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
