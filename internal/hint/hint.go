// Package hint lets an error say what the user can do about it. The command
// line prints the hint on a line of its own below the error.
package hint

import (
	"errors"
	"fmt"
)

type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// Wrap adds a hint to err; nil stays nil.
func Wrap(err error, hint string) error {
	if err == nil {
		return nil
	}
	return hinted{err, hint}
}

// Errorf is fmt.Errorf with a hint.
func Errorf(hint, format string, args ...any) error {
	return hinted{fmt.Errorf(format, args...), hint}
}

// Of is the outermost hint in err's chain, or "".
func Of(err error) string {
	var h hinted
	if errors.As(err, &h) {
		return h.hint
	}
	return ""
}
