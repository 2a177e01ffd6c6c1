package launch

import (
	"context"
	"errors"
)

// Run runs a program to its end and tells how that was: an exit code other than 0 is
// no error here, as only the caller knows what it means. When ctx is done the program
// is stopped, and the error says ctx's cause.
func Run(ctx context.Context, l Launcher, c Command) (ExitStatus, error) {
	if ctx.Err() != nil {
		return ExitStatus{}, context.Cause(ctx)
	}
	p, err := l.Start(c)
	if err != nil {
		return ExitStatus{}, err
	}
	select {
	case <-p.Done():
		return p.Wait()
	case <-ctx.Done():
		return ExitStatus{}, errors.Join(context.Cause(ctx), p.Stop())
	}
}
