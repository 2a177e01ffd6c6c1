package runpage

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// Owner is a user of CPU time in the window. The shares of all owners add up to the time of all
// CPUs, within the resolution of clock ticks (10 ms).
type Owner struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"cpu_s"`
	Share   float64 `json:"share"`
}

// ownerColumns holds the columns that divide up the time of all CPUs. A name ending in "-" is
// the prefix of several columns. Some owners do not exist in every experiment.
var ownerColumns = []struct {
	name, column string
	may          bool // be missing
}{
	{"server", "process.server.cpu", false},
	{"load generator", "process.generator.cpu", false},
	{"emulated devices", "process.emulator-", true},
	{"neighbour", "process.neighbour.cpu", true},
	{"plinth", "process.plinth.cpu", false},
	{"others", "process.others.cpu", false},
	{"steal", "stat.cpu.steal", false},
	{"iowait", "stat.cpu.iowait", false},
	{"idle", "stat.cpu.idle", false},
}

// owners returns the owners with known CPU time.
func owners(w window) []Owner {
	all := []Owner{}
	total := 0.0
	for _, o := range ownerColumns {
		owner, found := Owner{Name: o.name}, false
		for _, column := range slices.Sorted(maps.Keys(w.columns)) { // a sum depends on the order of its terms
			if column == o.column || strings.HasSuffix(o.column, "-") && strings.HasPrefix(column, o.column) && strings.HasSuffix(column, ".cpu") {
				sum, seconds := w.sum(column)
				owner.Seconds, found = owner.Seconds+max(sum, 0), found || seconds > 0
			}
		}
		if found {
			total += owner.Seconds
			all = append(all, owner)
		}
	}
	if sum, seconds := w.sum("process.server.cpu"); seconds == 0 && sum == 0 && !slices.ContainsFunc(all, func(o Owner) bool { return o.Name == "others" }) {
		return []Owner{} // of an import: without the processes, the shares of the rest say nothing
	}
	for i := range all {
		if total > 0 {
			all[i].Share = all[i].Seconds / total
		}
	}
	return all
}

// addOwners shows the owners of CPU time. If an owner is unknown, the shares cover only the
// others, and a note says so.
func (p *Page) addOwners(d *prose.Document) {
	if len(p.Owners) == 0 {
		return
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Owner"}, {Title: "CPU time", Right: true}, {Title: "Share", Right: true}}}
	for _, o := range p.Owners {
		t.Rows = append(t.Rows, []string{o.Name, phrase.Quantity(o.Seconds, "s", false), verdict.Fixed(o.Share*100, 1) + " %"})
	}
	d.Add(prose.Heading("CPU time by owner"), prose.WordTable(t), prose.Paragraph(p.ownersNote()))
}

func (p *Page) ownersNote() string {
	least := math.MaxInt
	note := ""
	for _, o := range ownerColumns {
		if _, n := p.window.sum(o.column); n > 0 {
			least = min(least, n)
		} else if !o.may {
			note += " Not known: " + o.name + "."
		}
	}
	if all := len(p.window.seconds); least < all {
		note += fmt.Sprintf(" Some are known for only %d of %s.", least, phrase.Plural(all, "second"))
	}
	return "Others are all other processes and the kernel's own threads." + note
}
