package tune

import (
	"encoding/json"

	"plinth/internal/journal"
)

// The kinds of entry that this package writes to a journal. One apply is, in this
// order, a beginning, its changes, and an end: where that is missing, plinth did not
// come so far, and all is put back.
const (
	beginKind  = "tuning"
	knobKind   = "knob"
	mountKind  = "mount-options"
	domainKind = "domain"
	serverKind = "server-setting"
	endKind    = "tuned"
)

// file is one file of the kernel, and what was in it.
type file struct {
	Path string `json:"path"`
	Was  string `json:"was"`
}

// knobChange is what a journal knows of a knob that is set through files.
type knobChange struct {
	Knob  string `json:"knob"` // its key
	Was   string `json:"was"`  // for people
	Set   string `json:"set"`
	Files []file `json:"files"`
	// Coupled are files that the kernel changes along with them.
	Coupled []file `json:"coupled,omitempty"`
	// Partner is the file that is zero whenever this knob is not, and the reverse.
	Partner *file `json:"partner,omitempty"`
	// Boot is that of which these are the values: each boot begins with its own.
	Boot string `json:"boot"`
}

// mountChange is what a journal knows of the options of a mount.
type mountChange struct {
	Knob       string `json:"knob"`
	MountPoint string `json:"mount_point"`
	ID         string `json:"id"` // of the filesystem: another one may be mounted there by now
	Was        string `json:"was"`
	Set        string `json:"set"` // as they were to be after it
	Boot       string `json:"boot"`
}

// domainChange is what a journal knows of a domain.
type domainChange struct {
	Knob   string            `json:"knob"` // for people: "domain vm1"
	Name   string            `json:"name"`
	Was    string            `json:"was"` // for people
	Set    string            `json:"set"`
	XML    string            `json:"xml"` // as it was
	Values map[string]string `json:"values"`
}

// serverChange is what a journal knows of a server's setting.
type serverChange struct {
	Knob   string  `json:"knob"`
	Server string  `json:"server"`
	Was    string  `json:"was"` // for people
	Set    string  `json:"set"`
	Before *string `json:"before"` // what was set so that it lasts; nil for nothing
}

// begin is the first entry of an apply, and so the last that is undone: it stands for
// the reading back of all files.
type begin struct {
	Profiles []string `json:"profiles"`
}

// end is the last entry of an apply that came to its end.
type end struct {
	Profiles []string `json:"profiles"`
	Until    string   `json:"until,omitempty"` // "rollback", "reboot"; "" for as long as plinth lives
	Plan     *Plan    `json:"plan,omitempty"`  // of one that outlives plinth
	// Left is what all files that were changed, or changed with them, had at the end, and
	// mounts and domains too; Was is what they had at the beginning.
	Left map[string]string `json:"left"`
	Was  map[string]string `json:"was"`
	Boot string            `json:"boot"`
}

// placesOf are the files, the mount or the domain of an entry's change, with what was
// there.
func placesOf(e journal.Entry) map[string]string {
	places := map[string]string{}
	switch e.Kind {
	case knobKind:
		var c knobChange
		_ = json.Unmarshal(e.Args, &c) // it was written a moment ago
		for _, f := range append(c.Files, c.Coupled...) {
			places[f.Path] = f.Was
		}
		if c.Partner != nil {
			places[c.Partner.Path] = c.Partner.Was
		}
	case mountKind:
		var c mountChange
		_ = json.Unmarshal(e.Args, &c)
		places[mountPrefix+c.MountPoint] = c.Was
	case domainKind:
		var c domainChange
		_ = json.Unmarshal(e.Args, &c)
		places[domainPrefix+c.Name] = c.XML
	}
	return places
}
