package tune

import (
	"encoding/json"

	"plinth/internal/journal"
)

// The kinds of journal entry that this package writes. One apply writes a beginning, its changes
// and an end, in this order. Without an end plinth died in between, and all changes are undone.
const (
	beginKind  = "tuning"
	knobKind   = "knob"
	mountKind  = "mount-options"
	domainKind = "domain"
	serverKind = "server-setting"
	endKind    = "tuned"
)

// file is a kernel file and its previous content.
type file struct {
	Path string `json:"path"`
	Was  string `json:"was"`
}

// knobChange is the journal entry of a knob that is set through files.
type knobChange struct {
	Knob  string `json:"knob"` // its key
	Was   string `json:"was"`  // for display
	Set   string `json:"set"`
	Files []file `json:"files"`
	// Coupled holds files that the kernel changes along with Files.
	Coupled []file `json:"coupled,omitempty"`
	// Partner is the file that is zero whenever this knob is not, and vice versa.
	Partner *file `json:"partner,omitempty"`
	// Boot is the boot id for which the values hold: each boot starts with its own.
	Boot string `json:"boot"`
}

// mountChange is the journal entry of a mount's options.
type mountChange struct {
	Knob       string `json:"knob"`
	MountPoint string `json:"mount_point"`
	ID         string `json:"id"` // of the filesystem: another one may be mounted there at undo
	Was        string `json:"was"`
	Set        string `json:"set"` // the options asked for
	Boot       string `json:"boot"`
}

// domainChange is the journal entry of a domain.
type domainChange struct {
	Knob   string            `json:"knob"` // for display: "domain vm1"
	Name   string            `json:"name"`
	Was    string            `json:"was"` // for display
	Set    string            `json:"set"`
	XML    string            `json:"xml"` // the previous definition
	Values map[string]string `json:"values"`
}

// serverChange is the journal entry of a server setting.
type serverChange struct {
	Knob   string  `json:"knob"`
	Server string  `json:"server"`
	Was    string  `json:"was"` // for display
	Set    string  `json:"set"`
	Before *string `json:"before"` // the previous persistent value; nil for none
}

// begin is the first entry of an apply, and therefore the last to be undone: undoing it reads
// back all files.
type begin struct {
	Profiles []string `json:"profiles"`
}

// end is the last entry of an apply that completed.
type end struct {
	Profiles []string `json:"profiles"`
	Until    string   `json:"until,omitempty"` // "rollback", "reboot"; "" while plinth runs
	Plan     *Plan    `json:"plan,omitempty"`  // if it outlives plinth
	// Left holds what all changed places, coupled files, mounts and domains included, had at the
	// end; Was holds what they had before.
	Left map[string]string `json:"left"`
	Was  map[string]string `json:"was"`
	Boot string            `json:"boot"`
}

// placesOf returns the files, the mount or the domain that an entry changed, with their previous
// values.
func placesOf(e journal.Entry) map[string]string {
	places := map[string]string{}
	switch e.Kind {
	case knobKind:
		var c knobChange
		_ = json.Unmarshal(e.Args, &c) // this process wrote it
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
