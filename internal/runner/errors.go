package runner

import (
	"fmt"
	"strings"
)

// InputError is a mistake that was found before anything was measured; what had
// been started to find it was put back, and there is no record.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// MachineChangedError says that the machine is not the one the experiment began on.
type MachineChangedError struct{ Differences []string }

func (e *MachineChangedError) Error() string {
	return "cannot go on: the machine is not what it was when the experiment began:\n  " +
		strings.Join(e.Differences, "\n  ")
}

// PutBackError says that something plinth made or changed is still there.
type PutBackError struct{ Err error }

func (e *PutBackError) Error() string { return fmt.Sprintf("cannot put everything back: %v", e.Err) }
func (e *PutBackError) Unwrap() error { return e.Err }

// NoValidRunError names the cells that ended without a block in which every
// environment has a valid run.
type NoValidRunError struct{ Cells []string }

func (e *NoValidRunError) Error() string {
	return "no block with a valid run in every environment for: " + strings.Join(e.Cells, "; ")
}
