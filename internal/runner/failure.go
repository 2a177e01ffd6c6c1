package runner

import (
	"strings"

	"plinth/internal/runner/site"
)

// InputError is that of sites.
type InputError = site.InputError

// PutBackError is that of sites.
type PutBackError = site.PutBackError

// MachineChangedError reports that the machine or a server differs from the one on which the
// experiment began.
type MachineChangedError struct{ Differences []string }

func (e *MachineChangedError) Error() string {
	return "cannot continue: the machine has changed since the experiment began:\n  " +
		strings.Join(e.Differences, "\n  ")
}

// NoValidRunError lists the cells that ended without a block in which every environment has a
// valid run.
type NoValidRunError struct{ Cells []string }

func (e *NoValidRunError) Error() string {
	return "no block with a valid run in every environment for: " + strings.Join(e.Cells, "; ")
}
