package runner

import (
	"context"

	"plinth/internal/experiment"
)

// preflight finds what would stop an experiment later, while it still costs
// nothing: no programs, too small a disk, a server that cannot be reached.
func preflight(ctx context.Context, e *experiment.Experiment, p Preview) error {
	if err := p.tooSmall(); err != nil {
		return err
	}
	for _, environment := range e.Environments {
		if err := probe(ctx, e, environment); err != nil {
			return err
		}
	}
	_, err := newDriver()
	return err
}
