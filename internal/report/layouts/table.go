package layouts

import (
	"fmt"
	"strings"

	"plinth/internal/layout"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// volumes is the table of filesystems.
func (r Report) volumes() prose.Block {
	t := prose.WordTable{Columns: []prose.Column{
		{Title: "Volume"}, {Title: "On"}, {Title: "Size", Right: true}, {Title: "Filesystem"}, {Title: "Mount options"},
	}}
	for _, v := range r.Volumes {
		on := v.Disk
		if v.Part > 0 {
			on += fmt.Sprintf(", part %d", v.Part)
		}
		t.Rows = append(t.Rows, []string{v.Path, on, v.Size.String(), v.Filesystem, strings.Join(v.Mount, ",")})
	}
	return t
}

// holds is the table of what is on each volume.
func (r Report) holds() prose.Block {
	t := prose.WordTable{Columns: []prose.Column{{Title: "Volume"}, {Title: "Holds"}}}
	for _, v := range r.Volumes {
		holds := strings.Join(v.Holds, ", ")
		if v.Main {
			holds = "data directory: " + holds
		}
		t.Rows = append(t.Rows, []string{v.Path, holds})
	}
	return t
}

func (r Report) totals() prose.Block {
	a := r.Plan.After
	return prose.Table{
		Columns: []prose.Column{{Title: "In all"}, {Title: "Expected", Right: true}},
		Rows: [][]string{
			{"device time a second", phrase.Count(a.DeviceTime*1000) + " ms"},
			{"mean read", phrase.Latency(float64(a.Read))},
			{"durable write of the WAL", phrase.Latency(float64(a.Commit))},
			{"price of the storage a month", dollars(a.Dollars)},
		},
	}
}

// model names what a disk is: "gp3, 6,000 IOPS, 250MiB/s", "RAID 10 of 4 gp3".
func model(d layout.Disk) string {
	text := d.Device
	if d.Level >= 0 {
		text = fmt.Sprintf("RAID %d of %d %s", d.Level, d.Members, d.Device)
	}
	return text
}

// provisioned returns what each volume of a disk is bought with.
func provisioned(d layout.Disk) string {
	if d.IOPS == 0 {
		return phrase.None
	}
	text := phrase.Count(d.IOPS) + " IOPS"
	if d.Throughput > 0 {
		text += ", " + d.Throughput.String()
	}
	return text
}

func (r Report) disks() prose.Block {
	t := prose.WordTable{Columns: []prose.Column{
		{Title: "Disk"}, {Title: "Each provisioned"}, {Title: "Size", Right: true}, {Title: "Data now", Right: true}, {Title: fmt.Sprintf("in %s", unit.Count(r.Input.Months, "month")), Right: true},
		{Title: "IOPS", Right: true}, {Title: "of limit", Right: true}, {Title: "Bytes", Right: true}, {Title: "of limit", Right: true},
		{Title: "Margin", Right: true}, {Title: "Full in months", Right: true}, {Title: "A month", Right: true},
	}}
	for _, d := range r.Disks {
		name := d.Name
		if what := model(d); what != name {
			name = fmt.Sprintf("%s (%s)", name, what)
		}
		t.Rows = append(t.Rows, []string{
			name, provisioned(d), d.Size.String(), d.Now.String(), d.Later.String(),
			phrase.Count(d.Demand.Reads + d.Demand.Writes), percent(d.Use.IOPS), unit.Rate(d.Demand.Bytes).String(), percent(d.Use.Throughput),
			margin(d.Margin), months(d.Full), dollars(d.Dollars),
		})
	}
	return t
}

func percent(share float64) string {
	if share == 0 {
		return phrase.None
	}
	return phrase.Percent(share)
}

func margin(f float64) string {
	switch {
	case f < 0:
		return phrase.None
	case f >= 1000:
		return "over 1000x"
	}
	return factor(f) + "x"
}

func months(n float64) string {
	switch {
	case n < 0:
		return phrase.None
	case n >= 1000:
		return "over 1000"
	}
	return factor(n)
}

func (r Report) settings() prose.Block {
	t := prose.WordTable{Columns: []prose.Column{{Title: "Setting"}, {Title: "Value"}, {Title: "Of"}, {Title: "Because"}}}
	for _, s := range r.Settings {
		of := "server"
		if s.Tablespace != "" {
			of = "tablespace " + s.Tablespace
		}
		t.Rows = append(t.Rows, []string{s.Name, s.Value, of, s.Because})
	}
	return t
}

// published compares the layout with a published one.
func (r Report) published() prose.Document {
	t := prose.WordTable{Columns: []prose.Column{{Title: "What"}, {Title: "Published"}, {Title: "Here"}}}
	why := prose.List{}
	for _, row := range r.Published.Rows {
		here := row.Here
		if row.Same {
			here = "the same"
		}
		t.Rows = append(t.Rows, []string{row.What, row.Published, here})
		if row.Why != "" {
			why = append(why, row.What+": "+row.Why)
		}
	}
	d := prose.Document{prose.Heading("Published, and here"), prose.Paragraph("The published layout is that of " + r.Published.From + ".")}
	d.Add(t)
	if len(why) > 0 {
		d.Add(prose.Paragraph("Where they differ, and why:"), why)
	}
	d.Add(prose.Paragraph("To measure the published layout: plinth run " + r.Published.Run))
	return d
}

// reasons lists the rules that apply, each with its source.
func (r Report) reasons() prose.List {
	var lines prose.List
	for _, rule := range r.Rules {
		lines = append(lines, fmt.Sprintf("%s (%s): %s. Source: %s.", what(rule.Rule), strings.Join(rule.To, ", "), rule.Why, rule.Source))
	}
	return lines
}

// what words a rule.
func what(rule layout.Rule) string {
	var parts []string
	if rule.Filesystem != "" {
		parts = append(parts, rule.Filesystem)
	}
	parts = append(parts, rule.Mkfs...)
	parts = append(parts, rule.Mount...)
	if rule.Set != "" {
		parts = append(parts, rule.Set)
	}
	if rule.Never != "" {
		parts = append(parts, "not "+rule.Never)
	}
	if len(parts) == 0 {
		return rule.Name
	}
	return strings.Join(parts, " ")
}
