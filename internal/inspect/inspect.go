package inspect

import (
	"context"
	"maps"
	"slices"
	"time"

	"plinth/internal/engine/postgres"
	"plinth/internal/host"
)

// Schema is the schema of an Inspection as JSON.
const Schema = "plinth/inspect/v1"

// Inspection is what a machine and a database are, and what was found about them.
type Inspection struct {
	Schema   string          `json:"schema"`
	Taken    time.Time       `json:"taken"`
	Target   string          `json:"target"` // a directory, or a connection string without its secrets
	Machine  host.Inventory  `json:"machine"`
	Server   *postgres.Facts `json:"server,omitempty"`
	Here     bool            `json:"server_is_here"` // the server is known to run on this machine
	CPUs     string          `json:"server_cpus,omitempty"`
	PID      int             `json:"server_pid,omitempty"` // of its first process, where it is known
	Findings []Finding       `json:"findings"`
	Gaps     []Gap           `json:"gaps"`
}

// ServerFacts is what a server says of itself, as a report knows it.
type ServerFacts = postgres.Facts

// Setting is one of its settings.
type Setting = postgres.Setting

// rootRole is the place that is looked at only to know what lies on /.
const rootRole = "/"

// Look inspects a target. It reads only. The error is for a server that cannot be
// reached, or a machine that tells nothing; anything less is a gap.
func Look(ctx context.Context, target Target) (Inspection, error) {
	i := Inspection{Schema: Schema, Taken: time.Now().UTC().Truncate(time.Second), Target: target.String(), Gaps: []Gap{}}
	places := map[string]string{rootRole: "/"}
	if target.Server != "" {
		facts, err := postgres.Examine(ctx, target.Server)
		if err != nil {
			return i, err
		}
		site := postgres.Locate(facts)
		i.Server, i.Here, i.CPUs, i.PID = &facts, site.Local, site.CPUs, site.PID
		i.addServerGaps(facts.Gaps, site.Gaps)
		maps.Copy(places, site.Places)
	} else {
		places["data"] = target.Dir
	}
	if err := i.addMachine(ctx, places); err != nil {
		return i, err
	}
	return i, nil
}

// addMachine takes the inventory, and finds what there is to be found. A machine
// that only asks another one's server may be of a kind that tells nothing.
func (i *Inspection) addMachine(ctx context.Context, places map[string]string) error {
	machine, err := host.ReadInventory(ctx, places)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && i.Server == nil:
		return err
	case err != nil:
		i.Gaps = append(i.Gaps, Gap{What: "this machine", Why: err.Error()})
	}
	in := Input{Machine: machine, Server: i.Server, Local: i.Server == nil || i.Here, CPUs: i.CPUs, Now: i.Taken}
	in.Machine.Places = slices.DeleteFunc(machine.Places, func(p host.Place) bool {
		if p.Role == rootRole {
			in.Root = p
		}
		return p.Role == rootRole
	})
	i.Machine, i.Findings = in.Machine, Findings(in)
	i.addMachineGaps()
	return nil
}
