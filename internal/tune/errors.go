package tune

import "fmt"

// TheirsError is that somebody else changed a value after plinth had set it. It is left
// as it is.
type TheirsError struct {
	Knob string // its key, "vm.swappiness"
	Path string // the file, mount point, domain or server that has it
	Was  string // what plinth would put back
	Set  string // what plinth had set
	Have string // what is there
}

func (e *TheirsError) Error() string {
	return fmt.Sprintf("somebody else changed %s (%s) in between: plinth set %q, now it is %q, which is left; before it was %q",
		e.Knob, e.Path, e.Set, e.Have, e.Was)
}

// PutBackError is that something could not be put back. It stays in the journal.
type PutBackError struct{ err error }

func (e *PutBackError) Error() string { return e.err.Error() }

// Unwrap is why.
func (e *PutBackError) Unwrap() error { return e.err }

func notPutBack(err error) error {
	if err == nil {
		return nil
	}
	return &PutBackError{err}
}

// adoptHint is what to do about what is somebody else's by now.
const adoptHint = "keep what is there with plinth tune adopt, or set it by hand to what it was and run plinth tune rollback again"
