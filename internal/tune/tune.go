// Package tune changes knobs of a machine and of a server, proves that they are in
// force, and puts them back: to the byte, after whatever happened in between.
//
// Before each change the values that were there are in a journal, on disk: those of
// the knob, and those of all that the kernel changes along with it. A plan is applied
// whole or not at all.
package tune

import (
	"fmt"

	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/record"
)

// Plan is the changes to make, and what is to be known before they are made. Making a
// plan changes nothing.
type Plan struct {
	Profiles  []string      `json:"profiles"` // that it was made from
	Changes   []Change      `json:"changes"`  // in the order in which they are applied
	Conflicts []record.Note `json:"conflicts,omitempty"`
	Missing   []record.Note `json:"missing,omitempty"` // what a profile requires and is not there
}

// State is what a plan does about a knob.
type State string

// The states.
const (
	ToChange      State = "change"
	InForce       State = "in force"       // it has that value
	NotApplicable State = "not applicable" // this machine has no such thing: Problem says why
	Cannot        State = "cannot"         // it cannot be set here: Problem says why
	Later         State = "later"          // it can be set, and acts after what the knob needs
)

// Change is one knob of a plan.
type Change struct {
	Layer  knob.Layer  `json:"layer"`
	Key    knob.Key    `json:"key"`
	Target string      `json:"target,omitempty"` // what the key's @ stands for here: "nvme0n1", "/mnt/data"
	Files  []string    `json:"files,omitempty"`
	Now    string      `json:"now"`
	Then   string      `json:"then"`
	State  State       `json:"state"`
	Needs  knob.Needs  `json:"needs,omitempty"`
	Risk   string      `json:"risk,omitempty"`
	Reason string      `json:"reason,omitempty"`
	Group  string      `json:"group,omitempty"`
	From   string      `json:"profile,omitempty"`
	Source knob.Source `json:"source"`

	// Refused says of one that cannot be set that the value itself is why, not this
	// machine or who asks: no file for an administrator has it, either.
	Refused bool   `json:"refused,omitempty"`
	Problem string `json:"problem,omitempty"`
	Hint    string `json:"hint,omitempty"`

	knob *knob.Knob // nil in a plan that was read from a file, and for a server's setting
}

// Knob is what the catalog has of it; the zero Knob for a server's setting.
func (c Change) Knob() knob.Knob {
	if c.knob != nil {
		return *c.knob
	}
	k, _ := knob.Find(c.Key.Knob)
	return k
}

// HostWide says whether a change is to the machine, and so to everything on it.
func (c Change) HostWide() bool { return c.Layer != knob.Server && c.Layer != knob.Placement }

// Request is what a plan is made from.
type Request struct {
	Values  []profile.Value
	Engine  string // "postgres", "redis": whose settings are meant; "" for both
	Targets Targets
	Unsafe  bool // values that weaken durability are allowed, and marked
	Machine Machine
	Server  Server // nil where there is none
	Domain  Domain // nil where there is none
	// Held says that there is a command around which values can be held that are in
	// force only so long: see Around.
	Held bool
}

// Targets say what the roles and names after an @ stand for.
type Targets struct {
	Devices map[string]string // by role: "data" is "nvme0n1"
	Mounts  map[string]string // by role: "data" is "/mnt/data"
	Domain  string            // of libvirt
}

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
