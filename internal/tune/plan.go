package tune

import (
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
