package site

import (
	"context"
	"errors"

	"plinth/internal/driver"
)

// Drive drives the load with a load generator on this machine. The observer of the run watches it.
func (l *Local) Drive(ctx context.Context, job driver.Job) (*driver.Outcome, error) {
	run := l.session()
	if run == nil {
		return nil, errors.New("no run is in progress")
	}
	job.Experiment, job.Scratch = l.experiment, l.scratch
	if job.Transactions > 0 {
		share := *l.experiment
		share.Transactions, job.Experiment = job.Transactions, &share
	}
	return l.Driver.Drive(ctx, run.read.Launcher(l.launcher), job)
}
