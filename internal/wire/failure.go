package wire

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"plinth/internal/hint"
)

// ErrSilent reports that nothing arrived from the other end for a lease.
var ErrSilent = errors.New("the other end is silent")

// LostError reports that a connection ended before a call did. The agent cancels its calls then.
type LostError struct{ Cause error }

func (e *LostError) Error() string { return fmt.Sprintf("the connection was lost: %v", e.Cause) }

func (e *LostError) Unwrap() error { return e.Cause }

// mostText is the number of bytes of an error and of a hint that are sent. Quoted as JSON, both fit into
// mostError.
const mostText = 4 << 10

// failure is an error on the wire.
type failure struct {
	Text  string
	Hint  string `json:",omitempty"`
	Kind  string `json:",omitempty"`
	Ended string `json:",omitempty"` // a key of contextErrors
}

var contextErrors = map[string]error{"canceled": context.Canceled, "deadline": context.DeadlineExceeded}

func newFailure(err error, kinds []Kind) failure {
	f := failure{Text: cut(err.Error()), Hint: cut(hint.Of(err))}
	for name, is := range contextErrors {
		if errors.Is(err, is) {
			f.Ended = name
		}
	}
	for _, kind := range kinds {
		if kind.Is(err) {
			f.Kind = kind.Name
			break
		}
	}
	return f
}

// cut shortens a text to what is sent.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + " …"
}

// remoteError is an error of the agent: its text, and the context's error if it wrapped one.
type remoteError struct {
	text  string
	cause error
}

func (e *remoteError) Error() string { return e.text }

func (e *remoteError) Unwrap() error { return e.cause }

func (f failure) err(kinds []Kind) error {
	var err error = &remoteError{f.Text, contextErrors[f.Ended]}
	for _, kind := range kinds {
		if kind.Name == f.Kind {
			err = kind.Wrap(err)
			break
		}
	}
	if f.Hint != "" {
		err = hint.Wrap(err, f.Hint)
	}
	return err
}

// panicked describes a panic of a handler, with the line that caused it. It is called by the deferred
// function that recovered.
func panicked(name string, value any) error {
	where := "unknown"
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for raised, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if raised && !inRuntime {
			where = fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
			break
		}
		raised = raised || f.Function == "runtime.gopanic"
	}
	return fmt.Errorf("cannot carry out %s: panic at %s: %v", name, where, value)
}
