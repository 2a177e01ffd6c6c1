package site

import (
	"context"

	"plinth/internal/driver"
)

// Drive drives the load with a load generator on this machine. The observer of the run watches it.
func (l *Local) Drive(ctx context.Context, job driver.Job) (*driver.Outcome, error) {
	job.Experiment, job.Scratch = l.experiment, l.scratch
	return l.Driver.Drive(ctx, l.session().read.Launcher(l.launcher), job)
}
