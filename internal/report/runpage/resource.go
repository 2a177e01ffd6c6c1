package runpage

import (
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// addResources lists the resources, the most used first.
func (p *Page) addResources(d *prose.Document) {
	if len(p.Run.Resources) == 0 {
		return
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Resource"}, {Title: "Use", Right: true}, {Title: "Mean", Right: true}, {Title: "Peak", Right: true}, {Title: "Ceiling", Right: true}}}
	var notes prose.List
	for _, r := range p.Run.Resources {
		name := p.byRole(r.Name)
		use, ceiling := "unknown", "unknown"
		if r.Ceiling > 0 {
			use, ceiling = phrase.Share(r.Use), amount(r, r.Ceiling)
		}
		t.Rows = append(t.Rows, []string{prose.Cut(name, 50), use, amount(r, r.Mean), amount(r, r.Peak), ceiling})
		if r.From != "" {
			notes = append(notes, name+": "+r.From)
		}
	}
	d.Add(prose.Heading("Resources, the most used first"), prose.WordTable(t), notes)
	d.Add(prose.Paragraph("Use is the mean divided by the ceiling. The IOPS and throughput of a disk have a known ceiling only if a control group limits them, the device is emulated, or the experiment says what it is (is: gp3)."))
}

// byRole names a disk by the volumes on it, if the server's requests go to it: "loop26 busy"
// becomes "data disk (loop26) busy".
func (p *Page) byRole(resource string) string {
	disk, what, _ := strings.Cut(resource, " ")
	var roles []string
	for _, v := range p.env.Volumes {
		if slices.Contains(record.DevicesOf([]record.Volume{v}, v.Role), disk) && !slices.Contains(roles, v.Role) {
			roles = append(roles, v.Role)
		}
	}
	if len(roles) == 0 {
		return resource
	}
	return strings.Join(roles, " and ") + " disk (" + disk + ") " + what
}

// amount formats an amount of a resource. CPU time per second is a number of CPUs, busy time of
// a disk a share of the second.
func amount(r record.Resource, f float64) string {
	switch {
	case r.Unit != "s/s":
		return phrase.Quantity(f, r.Unit, false)
	case r.Name != "cpu":
		return phrase.Share(f)
	case f == 1:
		return "1 CPU"
	}
	return phrase.Fine(f) + " CPUs"
}
