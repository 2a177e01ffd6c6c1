// Package hint attaches advice for the user to errors. The command line prints the hint on a separate
// line below the error.
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

// Wrap returns err with a hint, or nil if err is nil.
func Wrap(err error, hint string) error {
	if err == nil {
		return nil
	}
	return hinted{err, hint}
}

// Errorf returns an error formatted as by fmt.Errorf, with a hint.
func Errorf(hint, format string, args ...any) error {
	return hinted{fmt.Errorf(format, args...), hint}
}

// Of returns the outermost hint in err's chain, or "".
func Of(err error) string {
	var h hinted
	if errors.As(err, &h) {
		return h.hint
	}
	return ""
}
