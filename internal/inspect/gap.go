package inspect

import (
	"slices"
	"strings"

	"plinth/internal/engine/postgres"
)

// Gap is what could not be read, why, and who may read it: "root", a role of
// PostgreSQL, or "" when nobody is known to.
type Gap struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Needs string `json:"needs,omitempty"`
}

func (i *Inspection) addServerGaps(lists ...[]postgres.Gap) {
	for _, g := range slices.Concat(lists...) {
		i.Gaps = append(i.Gaps, Gap{g.What, g.Why, g.Role})
	}
	i.Server.Gaps = []postgres.Gap{} // they are all in one place
}

// addMachineGaps gathers the gaps of the inventory in one place.
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

// whoMay guesses from the kernel's words who may read something.
func whoMay(why string) string {
	for _, denied := range []string{"permission denied", "operation not permitted"} {
		if strings.Contains(why, denied) {
			return "root"
		}
	}
	return ""
}

// Help is who could add what to an inspection.
type Help struct {
	Who  string
	Adds []string
}

// Help says who would add what: root, and one role of the server that has all the
// rights that are missing.
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

// Unknown are the gaps that nobody is known to close.
func (i *Inspection) Unknown() []Gap {
	return slices.DeleteFunc(slices.Clone(i.Gaps), func(g Gap) bool { return g.Needs != "" })
}
