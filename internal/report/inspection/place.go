package inspection

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// placeFacts is a directory and what lies below it, down to the disks; where it
// lies with one that stands there already, that is all there is to say.
func placeFacts(p host.Place, before []host.Place, disks []host.Disk) []prose.Fact {
	for _, other := range before {
		if p.Source == other.Source && p.Options == other.Options && p.Filesystem == other.Filesystem && !p.InMemory {
			return []prose.Fact{{Name: p.Role, Text: p.Path + ": on the same filesystem as " + other.Role}}
		}
	}
	facts := []prose.Fact{{Name: p.Role, Text: fmt.Sprintf("%s: %s (%s), %s free of %s", p.Path, p.Filesystem, p.Options, phrase.Bytes(p.Free), phrase.Bytes(p.Size))}}
	if p.Network {
		return append(facts, prose.Fact{Name: "", Text: "over the network from " + p.Source})
	}
	for _, l := range p.Layers {
		if l.Kind != "disk" {
			facts = append(facts, prose.Fact{Name: "", Text: phrase.Join(", ", "on "+l.Name+": "+l.Kind, l.Detail, phrase.When(l.Missing > 0, "%s missing", phrase.Plural(l.Missing, "disk")), l.Sync)})
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
	cache := strings.TrimSpace(d.WriteCache + phrase.When(d.WriteCache == "write back" && d.FUA, " with FUA"))
	return d.Name + ": " + phrase.Join(", ", d.Model, d.Transport, phrase.Bytes(d.Size), phrase.When(d.Rotational, "rotational"),
		phrase.When(d.Scheduler != "", "scheduler %s", d.Scheduler), phrase.When(d.ReadAhead > 0, "read-ahead %s", phrase.Bytes(d.ReadAhead)),
		cache, phrase.When(d.NUMANode >= 0, "NUMA node %d", d.NUMANode))
}
