// Package tune changes knobs of a machine and of a server, verifies that they are in force, and
// restores the old values exactly, even after a crash.
//
// Before each change it journals the old values on disk: those of the knob, and those of
// everything that the kernel changes along with it. A plan is applied completely or not at all.
package tune

import (
	"fmt"

	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/record"
)

// Plan lists the changes to make, and what to know before making them. Planning changes nothing.
type Plan struct {
	Profiles  []string      `json:"profiles"` // from which it was planned
	Changes   []Change      `json:"changes"`  // in the order in which they are applied
	Conflicts []record.Note `json:"conflicts,omitempty"`
	Missing   []record.Note `json:"missing,omitempty"` // requirements of a profile that the machine does not meet
}

// State says what a plan does about a knob.
type State string

// The states.
const (
	ToChange      State = "change"
	InForce       State = "in force"       // it already has that value
	NotApplicable State = "not applicable" // this machine has no such thing: Problem says why
	Cannot        State = "cannot"         // it cannot be set here: Problem says why
	Later         State = "later"          // it can be set, and takes effect after what Needs names
)

// Change is the planned change of one knob.
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

	// Refused marks a change that cannot be made because of its value, not because of this
	// machine or user: rendered files omit it, too.
	Refused bool   `json:"refused,omitempty"`
	Problem string `json:"problem,omitempty"`
	Hint    string `json:"hint,omitempty"`

	knob *knob.Knob // nil in a plan read from a file, and for a server setting
}

// Knob returns the knob's catalog entry; the zero Knob for a server setting.
func (c Change) Knob() knob.Knob {
	if c.knob != nil {
		return *c.knob
	}
	k, _ := knob.Find(c.Key.Knob)
	return k
}

// HostWide reports whether a change affects the whole machine.
func (c Change) HostWide() bool { return c.Layer != knob.Server && c.Layer != knob.Placement }

// Request is the input of a plan.
type Request struct {
	Values  []profile.Value
	Engine  string // "postgres", "redis": whose settings are meant; "" for both
	Targets Targets
	Unsafe  bool // allows values that weaken durability, with a note
	Machine Machine
	Server  Server // nil for none
	Domain  Domain // nil for none
	// Standby says that Server is a standby of PostgreSQL, which does not start with lower limits than its
	// primary's.
	Standby bool
	// Held reports that plinth will run a command, so that values can be set that are in force
	// only while the command runs: see Around.
	Held bool
}

// Targets maps the roles and names after an @ to what they stand for.
type Targets struct {
	Devices map[string]string // by role: "data" is "nvme0n1"
	Mounts  map[string]string // by role: "data" is "/mnt/data"
	Domain  string            // of libvirt
}

// TheirsError reports that another process changed a value after plinth had set it. The value is
// left as it is.
type TheirsError struct {
	Knob string // its key, "vm.swappiness"
	Path string // the file, mount point, domain or server
	Was  string // what plinth would restore
	Set  string // what plinth had set
	Have string // the current value
}

func (e *TheirsError) Error() string {
	return fmt.Sprintf("another process changed %s (%s): plinth set it to %q, it is now %q, and plinth leaves it unchanged (the value to restore was %q)",
		e.Knob, e.Path, e.Set, e.Have, e.Was)
}

// PutBackError reports that something could not be undone. It stays in the journal.
type PutBackError struct{ err error }

func (e *PutBackError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *PutBackError) Unwrap() error { return e.err }

func notPutBack(err error) error {
	if err == nil {
		return nil
	}
	return &PutBackError{err}
}

// adoptHint says what to do about a value that another process changed.
const adoptHint = "keep the current value with plinth tune adopt, or restore it by hand and run plinth tune rollback again"
