package site

import (
	"context"

	"plinth/internal/hint"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/tuning"
)

// Foresee checks everything that can be checked before anything is created or changed. It leaves
// out environments that equal an earlier one on this machine, also from the plan's experiment, and
// fits the plan's scale.
func (l *Local) Foresee(ctx context.Context, p Plan) (Foreseen, error) {
	foreseen := Foreseen{Experiment: p.Experiment}
	t, err := tuning.Work(ctx, p.Experiment, l.Machine.Look)
	if err != nil {
		return foreseen, err
	}
	l.Adopt(t, false)
	foreseen.Experiment = l.experiment
	ahead, err := l.preview(p)
	if err != nil {
		return foreseen, err
	}
	l.sideBySide = ahead.SideBySide
	p.Experiment.Dataset.Scale = l.experiment.Dataset.Scale // as fitted to the volumes
	plans, err := l.host.Plans(ctx, l.experiment)
	if err != nil {
		return foreseen, err
	}
	ahead.Tuned, ahead.LeftOut = t.Foreseen(plans), t.LeftOut
	foreseen.Preview = ahead
	if err := preview.Check(ctx, l.experiment, ahead); err != nil {
		return foreseen, err
	}
	erased, err := preview.Erases(ctx, l.experiment)
	if err != nil {
		return foreseen, err
	}
	foreseen.Preview.Warnings = append(foreseen.Preview.Warnings, erased...)
	l.Driver, err = engines.Of(l.experiment).Driver(l.experiment)
	return foreseen, err
}

// preview builds the preview. With SideBySide the scale is settled already.
func (l *Local) preview(p Plan) (preview.Preview, error) {
	if p.SideBySide == nil {
		return preview.NewFitted(l.experiment, l.host)
	}
	ahead, err := preview.New(l.experiment, l.host, !*p.SideBySide)
	if err == nil && *p.SideBySide && !ahead.SideBySide {
		err = ErrTooCrowded
	}
	return ahead, err
}

// ErrTooCrowded reports that a resumed experiment finds less memory than it began with.
var ErrTooCrowded = hint.Errorf("free some memory, then resume",
	"the experiment began with all servers side by side, and there is no longer enough memory for that")
