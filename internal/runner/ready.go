package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// ready checks everything that can be checked before anything is created or changed.
func (r *Runner) ready(ctx context.Context) error {
	plan := site.Plan{Experiment: r.options.Experiment}
	if resume := r.options.Resume; resume != nil {
		leaveOut(r.experiment, resume.Summary.LeftOut)
		if err := resumable(resume, r.experiment); err != nil {
			return err
		}
		if err := r.sameMachines(ctx, resume.Summary); err != nil {
			return err
		}
		plan.SideBySide, plan.Resumed = &resume.Summary.SideBySide, &site.Resumed{}
		for _, left := range resume.Summary.LeftOut {
			plan.Resumed.LeftOut = append(plan.Resumed.LeftOut, left.Environment)
		}
	}
	foreseen, err := r.site.Foresee(ctx, plan)
	r.experiment, r.preview = foreseen.Experiment, foreseen.Preview
	if err != nil {
		return &InputError{Err: err}
	}
	if resume := r.options.Resume; resume != nil {
		for _, left := range r.preview.LeftOut {
			if !slices.ContainsFunc(resume.Summary.LeftOut, func(l record.LeftOut) bool { return l.Environment == left.Environment }) {
				return &MachineChangedError{[]string{"environment " + left.Environment + " would be left out now: " + left.Reason}}
			}
		}
	}
	r.options.Warnings = append(r.options.Warnings, r.preview.Warnings...)
	for _, absent := range r.options.Experiment.Absent {
		r.preview.LeftOut = append(r.preview.LeftOut, record.LeftOut{Environment: absent.Environment, Reason: absent.Reason})
	}
	return nil
}

// leaveOut leaves the environments out of an experiment that its record lacks.
func leaveOut(e *experiment.Experiment, left []record.LeftOut) {
	e.LeaveOut(func(name string) bool {
		return slices.ContainsFunc(left, func(l record.LeftOut) bool { return l.Environment == name })
	})
}

// planned returns the lines about how the experiment will be decided.
func (r *Runner) planned() []string {
	if r.options.Plan == nil {
		return nil
	}
	return r.options.Plan(r.experiment)
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
			lines = append(lines, fmt.Sprintf("changes to %s for %s: %s", record.MachineName(r.atOf(e.Name)), e.Name, strings.Join(changes, ", ")))
		}
	}
	if lines != nil {
		lines = append(lines, "all of these changes are undone at the end")
	}
	for _, l := range r.preview.LeftOut {
		lines = append(lines, fmt.Sprintf("%s is left out, not applicable here: %s", l.Environment, l.Reason))
	}
	return lines
}

// resumable refuses to complete a record with another experiment: its blocks would no longer be
// comparable.
func resumable(rec *record.Record, e *experiment.Experiment) error {
	if record.Live(rec.Path) {
		return &InputError{Err: hint.Errorf("wait for it, or stop it first",
			"cannot resume %s: another plinth is running it", rec.Path)}
	}
	if rec.Summary.State == record.Complete {
		return &InputError{Err: hint.Errorf("run the experiment again for another record",
			"cannot resume %s: it is complete", rec.Path)}
	}
	recorded, err := rec.Experiment()
	if err != nil {
		return &InputError{Err: err}
	}
	if record.Fingerprint(rec.ExperimentYAML) != rec.Summary.Fingerprint {
		return &InputError{Err: hint.Errorf("run the edited experiment as a new one",
			"cannot resume %s: its experiment.yaml was edited after the first run%s",
			rec.Path, list(encode.Differences(recorded, e)))}
	}
	if rec.Edited() {
		return &InputError{Err: hint.Errorf("restore the record from a copy",
			"cannot resume %s: its plan (looks, margin or metric) was edited after the first run", rec.Path)}
	}
	if differences := encode.Differences(recorded, e); len(differences) > 0 {
		return &InputError{Err: hint.Errorf("run the edited experiment as a new one",
			"cannot resume %s: the experiment differs from the recorded one%s", rec.Path, list(differences))}
	}
	return nil
}

func list(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf(":\n  %s", strings.Join(lines, "\n  "))
}
