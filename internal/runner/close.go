package runner

import (
	"context"
	"errors"
	"time"

	"plinth/internal/record"
)

// close restores the system and completes the record, on every path.
func (r *Runner) close(cause error) error {
	r.progress.now(Status{Step: "stopping"})
	left := r.putBack()
	state, reason := outcome(cause)
	var failure error
	if r.discard {
		failure = r.book.writer.Discard()
	} else {
		failure = errors.Join(r.book.save(state, reason), r.book.writer.Close())
	}
	if left != nil {
		return &PutBackError{Err: errors.Join(left, cause)}
	}
	if cause == nil || errors.As(cause, new(*decidedError)) {
		return failure
	}
	return cause
}

// putBackLimit and hurryLimit bound the time that cleanup may take, even if a server does not
// answer. A second Ctrl-C shortens the time but does not skip the cleanup.
const (
	putBackLimit = 2 * time.Minute
	hurryLimit   = 20 * time.Second
)

// putBack undoes every change, and continues after a failure.
func (r *Runner) putBack() error {
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
	return r.site.Close(ctx)
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
