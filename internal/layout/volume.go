package layout

import (
	"fmt"
	"slices"

	"plinth/internal/placement"
	"plinth/internal/unit"
)

// Roles of volumes, for the conditions of rules.
const (
	roleData = "data" // what queries and writes use most: the data directory, and further fast tables
	roleWAL  = "wal"
	roleTemp = "temp"
	roleCold = "cold" // cold tables, and what may be beside them
	// roleOther: no part of the database is there.
	roleOther = "other"
)

var roles = []string{roleData, roleWAL, roleTemp, roleCold, roleOther}

// Volume is a filesystem of the layout: on a whole disk, or on a part of a local one.
type Volume struct {
	Name string    `json:"name"`
	Role string    `json:"role"`
	Path string    `json:"path"`
	Disk string    `json:"disk"`
	Part int       `json:"partition,omitempty"` // 0: the whole disk
	Size unit.Size `json:"size"`
	// Main: it has the data directory.
	Main       bool     `json:"main,omitempty"`
	Filesystem string   `json:"filesystem"`
	Mkfs       []string `json:"mkfs,omitempty"`
	Mount      []string `json:"mount"`
	Holds      []string `json:"holds"`

	medium string
	disk   int // of Layout.Disks
	temp   bool
	tables bool
}

// volumes divides the disks into filesystems. On a local disk the WAL, temporary files and what is no
// part of the database get a partition each, so that none can fill another's; a volume of EBS is one.
func (f *finder) volumes(l *Layout) []Volume {
	main := mainDisk(l)
	var all []Volume
	for i, d := range l.Disks {
		parts := f.parts(l, d)
		rest := d.Size
		for k := range parts {
			p := &parts[k]
			p.Disk, p.disk, p.medium = d.Name, i, d.Medium
			p.Main = i == main && p.tables
			if len(parts) > 1 {
				p.Part = k + 1
			}
			if k > 0 {
				rest -= p.Size
			}
		}
		// The tables get what the others leave of the disk.
		if len(parts) == 1 || parts[0].tables {
			parts[0].Size = max(0, rest)
		}
		all = append(all, parts...)
	}
	slices.SortStableFunc(all, func(a, b Volume) int { return order(a) - order(b) })
	nameVolumes(all)
	return all
}

// order sorts volumes: the data directory, further tables, the WAL, temporary files, the rest.
func order(v Volume) int {
	if v.Main {
		return -1
	}
	return slices.Index(roles, v.Role)
}

// mainDisk returns the disk of the data directory: the one whose tables take the most device time.
func mainDisk(l *Layout) int {
	best, most := -1, -1.0
	for i, d := range l.Disks {
		time, tables := 0.0, false
		for _, k := range d.holds {
			if o := l.Plan.Objects[k]; isTable(o.Object) {
				time, tables = time+o.After, true
			}
		}
		if tables && time > most {
			best, most = i, time
		}
	}
	return best
}

// isTable reports whether the object is in a tablespace, and no temporary file.
func isTable(o placement.Object) bool {
	return o.Kind != placement.WAL && o.Kind != placement.Temp && o.Kind != placement.Other
}

// parts returns the filesystems of a disk: first that of its tables.
func (f *finder) parts(l *Layout, d Disk) []Volume {
	first := Volume{Role: roleCold}
	var alone []Volume
	held := unit.Size(0)
	for _, k := range d.holds {
		o := l.Plan.Objects[k]
		name := f.in.shown(o.Object)
		if d.Medium == onLocal && !isTable(o.Object) {
			role := o.Kind // that of the WAL and of temporary files is their kind
			alone = append(alone, Volume{Name: name, Role: role, Size: roomFor(o.Size, oneStep), Holds: []string{name}, temp: o.Kind == placement.Temp})
			continue
		}
		held += o.Size
		first.Holds = append(first.Holds, name)
		switch {
		case o.Kind == placement.WAL && !first.tables:
			first.Role = roleWAL
		case o.Kind == placement.Temp:
			first.temp = true
			if !first.tables {
				first.Role = roleTemp
			}
		case isTable(o.Object):
			if o.Temperature != placement.Cold {
				first.Role = roleData
			}
			first.tables = true
		}
	}
	if len(first.Holds) == 0 {
		return alone
	}
	if first.Role == roleCold && !first.tables {
		first.Role = roleOther
	}
	first.Size = roomFor(held, oneStep)
	return append([]Volume{first}, alone...)
}

// nameVolumes gives each volume a name of its own, and its directory.
func nameVolumes(all []Volume) {
	seen := map[string]bool{}
	for i := range all {
		v := &all[i]
		base := v.Role
		switch {
		case v.Main:
			base, v.Role = roleData, roleData
		case v.Role == roleOther:
			base = v.Holds[0]
		}
		v.Name = base
		for n := 2; seen[v.Name]; n++ {
			v.Name = fmt.Sprintf("%s%d", base, n)
		}
		seen[v.Name] = true
		v.Path = "/mnt/" + v.Name
	}
}

// shown returns the name of an object as the input has it.
func (c *completed) shown(o placement.Object) string {
	if isTable(o) && o.Relation.Schema == "public" {
		return o.Relation.Name
	}
	return o.Name
}
