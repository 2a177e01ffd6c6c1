package report

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/prose"
)

// placeFacts is a directory and what lies below it, down to the disks; where it
// lies with one that stands there already, that is all there is to say.
func placeFacts(p host.Place, before []host.Place, disks []host.Disk) []prose.Fact {
	for _, other := range before {
		if p.Source == other.Source && p.Options == other.Options && p.Filesystem == other.Filesystem && !p.InMemory {
			return []prose.Fact{{Name: p.Role, Text: p.Path + ": on the same filesystem as " + other.Role}}
		}
	}
	facts := []prose.Fact{{Name: p.Role, Text: fmt.Sprintf("%s: %s (%s), %s free of %s", p.Path, p.Filesystem, p.Options, bytes(p.Free), bytes(p.Size))}}
	if p.Network {
		return append(facts, prose.Fact{Name: "", Text: "over the network from " + p.Source})
	}
	for _, l := range p.Layers {
		if l.Kind != "disk" {
			facts = append(facts, prose.Fact{Name: "", Text: joined(", ", "on "+l.Name+": "+l.Kind, l.Detail, when(l.Missing > 0, "%s missing", plural(l.Missing, "disk")), l.Sync)})
		}
	}
	for _, d := range disks {
		if slices.Contains(p.Disks, d.Name) {
			facts = append(facts, prose.Fact{Name: "", Text: "on " + diskLine(d)})
		}
	}
	return facts
}

func diskLine(d host.Disk) string {
	cache := strings.TrimSpace(d.WriteCache + when(d.WriteCache == "write back" && d.FUA, " with FUA"))
	return d.Name + ": " + joined(", ", d.Model, d.Transport, bytes(d.Size), when(d.Rotational, "rotational"),
		when(d.Scheduler != "", "scheduler %s", d.Scheduler), when(d.ReadAhead > 0, "read-ahead %s", bytes(d.ReadAhead)),
		cache, when(d.NUMANode >= 0, "NUMA node %d", d.NUMANode))
}
