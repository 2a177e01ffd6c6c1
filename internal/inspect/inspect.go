package inspect

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"plinth/internal/engine/postgres/examine"
	redisexamine "plinth/internal/engine/redis/examine"
	"plinth/internal/host"
)

// Schema is the schema of an Inspection as JSON.
const Schema = "plinth/inspect/v1"

// Inspection holds the facts of a machine and a database, and the findings about them.
type Inspection struct {
	Schema   string              `json:"schema"`
	Taken    time.Time           `json:"taken"`
	Target   string              `json:"target"` // a directory, or a connection string without its secrets
	Machine  host.Inventory      `json:"machine"`
	Server   *examine.Facts      `json:"server,omitempty"` // PostgreSQL
	Redis    *redisexamine.Facts `json:"redis,omitempty"`  // Redis or Valkey; at most one of the two
	Here     bool                `json:"server_is_here"`   // the server is known to run on this machine
	CPUs     string              `json:"server_cpus,omitempty"`
	PID      int                 `json:"server_pid,omitempty"`        // of its first process, if known
	Files    int64               `json:"server_open_files,omitempty"` // maximum of open files of a Redis; 0 if unknown
	Findings []Finding           `json:"findings"`
	Gaps     []Gap               `json:"gaps"`
}

// ServerFacts holds the facts of a PostgreSQL server, for reports.
type ServerFacts = examine.Facts

// RedisFacts holds the facts of a Redis or Valkey server, for reports.
type RedisFacts = redisexamine.Facts

// Setting is a setting of a PostgreSQL server.
type Setting = examine.Setting

// rootRole is the role of /, which is read only to identify its filesystem.
const rootRole = "/"

// Look inspects a target. It only reads. It returns an error if a server cannot be reached, or if
// nothing can be read about the machine; any other failure is a gap.
func Look(ctx context.Context, target Target) (Inspection, error) {
	i := Inspection{Schema: Schema, Taken: time.Now().UTC().Truncate(time.Second), Target: target.String(), Gaps: []Gap{}}
	places := map[string]string{rootRole: "/"}
	if target.Server == "" {
		places["data"] = target.Dir
	} else {
		there, err := target.engine().look(ctx, target.Server, &i)
		if err != nil {
			return i, err
		}
		maps.Copy(places, there)
	}
	machine, err := host.ReadInventory(ctx, places)
	switch {
	case ctx.Err() != nil:
		return i, ctx.Err()
	case err != nil && !i.OfServer():
		return i, err
	case err != nil: // a machine that only queries a remote server need not be readable
		i.Gaps = append(i.Gaps, Gap{What: "this machine", Why: err.Error()})
	}
	in := Input{
		Machine: machine, Server: i.Server, Redis: i.Redis, Local: !i.OfServer() || i.Here,
		CPUs: i.CPUs, Files: i.Files, Now: i.Taken,
	}
	in.Machine.Places = slices.DeleteFunc(machine.Places, func(p host.Place) bool {
		if p.Role == rootRole {
			in.Root = p
		}
		return p.Role == rootRole
	})
	i.Machine, i.Findings = in.Machine, Findings(in)
	i.addMachineGaps()
	return i, nil
}

// OfServer reports whether a server was inspected.
func (i *Inspection) OfServer() bool { return i.Server != nil || i.Redis != nil }

// Gap is a fact that could not be read, with the reason and the user who can read it: "root", a
// role of PostgreSQL, or "" if unknown.
type Gap struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Needs string `json:"needs,omitempty"`
}

func (i *Inspection) addServerGaps(lists ...[]examine.Gap) {
	for _, g := range slices.Concat(lists...) {
		i.Gaps = append(i.Gaps, Gap{g.What, g.Why, g.Role})
	}
	i.Server.Gaps = []examine.Gap{} // all gaps are in i.Gaps
}

// addMachineGaps moves the gaps of the inventory into i.Gaps.
func (i *Inspection) addMachineGaps() {
	for _, g := range i.Machine.Gaps {
		i.Gaps = append(i.Gaps, Gap{g.What, g.Why, whoMay(g.Why)})
	}
	i.Machine.Gaps = nil
	for n := range i.Machine.Places {
		p := &i.Machine.Places[n]
		for _, g := range p.Gaps {
			i.Gaps = append(i.Gaps, Gap{g.What + " of " + p.Role, g.Why, whoMay(g.Why)})
		}
		p.Gaps = nil
	}
}

// whoMay derives from the kernel's error which user can read something.
func whoMay(why string) string {
	for _, denied := range []string{"permission denied", "operation not permitted"} {
		if strings.Contains(why, denied) {
			return "root"
		}
	}
	return ""
}

// Help lists the facts that a user with more privileges could add to an inspection.
type Help struct {
	Who  string
	Adds []string
}

// Help returns the facts that root could add, and those that a role of the server with all
// missing privileges could add.
func (i *Inspection) Help() []Help {
	byWho := map[string][]string{}
	var roles []string
	for _, g := range i.Gaps {
		if g.Needs == "" {
			continue
		}
		if g.Needs != "root" && !slices.Contains(roles, g.Needs) {
			roles = append(roles, g.Needs)
		}
		byWho[g.Needs] = append(byWho[g.Needs], g.What)
	}
	var all []Help
	if adds := byWho["root"]; adds != nil {
		all = append(all, Help{"root", adds})
	}
	if len(roles) == 0 {
		return all
	}
	var adds []string
	for _, role := range roles {
		adds = append(adds, byWho[role]...)
	}
	who := "the role " + roles[0]
	if len(roles) > 1 { // pg_monitor is a member of the others
		who = "the role pg_monitor"
	}
	return append(all, Help{who, adds})
}

// Unknown returns the gaps without a known way to close them.
func (i *Inspection) Unknown() []Gap {
	return slices.DeleteFunc(slices.Clone(i.Gaps), func(g Gap) bool { return g.Needs != "" })
}
