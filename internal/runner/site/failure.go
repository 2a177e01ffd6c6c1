package site

import "fmt"

// InputError is a mistake that was found before anything was measured. Everything that was
// started to find it has been undone, and no new record exists.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// PutBackError reports that something plinth created or changed could not be undone.
type PutBackError struct{ Err error }

func (e *PutBackError) Error() string { return fmt.Sprintf("cannot restore everything: %v", e.Err) }
func (e *PutBackError) Unwrap() error { return e.Err }
