package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"plinth/internal/record"
	"plinth/internal/runner/agent"
)

// close restores the system and completes the record, on every path.
func (r *Runner) close(cause error) error {
	r.progress.now(Status{Step: "stopping"})
	left := r.putBack(cause)
	state, reason := outcome(cause)
	var failure error
	if r.discard {
		failure = r.book.writer.Discard()
	} else {
		failure = errors.Join(r.book.save(state, reason), r.book.writer.Close())
	}
	if errors.As(cause, new(*decidedError)) { // no failure
		cause = nil
	}
	switch {
	case left != nil:
		return &PutBackError{Err: errors.Join(left, cause, failure)}
	case cause != nil && failure != nil:
		return errors.Join(cause, failure)
	}
	return cmp.Or(cause, failure)
}

// putBackLimit and hurryLimit bound the time that cleanup may take, even if a server does not
// answer. A second Ctrl-C shortens the time but does not skip the cleanup.
const (
	putBackLimit = 2 * time.Minute
	hurryLimit   = 20 * time.Second
)

// putBack undoes every change, and continues after a failure. If the experiment ended with cause because
// it lost a machine, it is no failure that it loses others meanwhile: their agents undo everything by
// themselves.
func (r *Runner) putBack(cause error) error {
	// The experiment's context may be cancelled already; cleanup must still run.
	ctx, cancel := context.WithTimeout(context.Background(), putBackLimit)
	defer cancel()
	go func() {
		select {
		case <-r.options.Hurry:
			time.AfterFunc(hurryLimit, cancel)
		case <-ctx.Done():
		}
	}()
	left := r.site.Close(ctx)
	if errors.As(cause, new(*agent.LostError)) && onlyLost(left) {
		return nil
	}
	return left
}

// onlyLost reports whether all of the joined errors are lost connections.
func onlyLost(err error) bool {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return errors.As(err, new(*agent.LostError))
	}
	return !slices.ContainsFunc(joined.Unwrap(), func(one error) bool { return !onlyLost(one) })
}

// outcome returns the state of a record whose experiment ended with cause, and the reason.
func outcome(cause error) (record.State, string) {
	var none *NoValidRunError
	var decided *decidedError
	switch {
	case errors.As(cause, &decided):
		return record.Complete, cause.Error()
	case cause == nil:
		return record.Complete, ""
	case errors.As(cause, &none):
		return record.Complete, cause.Error()
	case errors.Is(cause, context.Canceled):
		return record.Interrupted, "interrupted"
	default:
		return record.Interrupted, cause.Error()
	}
}
