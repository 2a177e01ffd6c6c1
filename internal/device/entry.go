package device

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// Entry is one device of the catalog: the model, where each of its figures is from,
// and what is known beside it.
type Entry struct {
	Device Device `json:"device"`
	Title  string `json:"title"` // "Amazon EBS gp3, general purpose SSD volume"
	// Survives is the worst loss that the data survives, in a word for a table:
	// Device.Durability says it in full.
	Survives string   `json:"survives"`
	Figures  []Figure `json:"figures"`
	// Disagreement is where sources contradict each other, or themselves, and Choice
	// what the model takes instead, and why. Empty where they do not.
	Disagreement []string `json:"disagreement,omitempty"`
	Choice       string   `json:"choice,omitempty"`
	Offer        Offer    `json:"offer"`
	Prices       []Price  `json:"prices,omitempty"`
	// steps are reckoned when they are asked for.
	steps func() []Step
}

// Steps is the way of a durable write to the device and back; nil where nobody
// published anything about it.
func (e Entry) Steps() []Step {
	if e.steps == nil {
		return nil
	}
	return e.steps()
}

// Figure says where some of a device's figures are from.
type Figure struct {
	Keys   []string `json:"keys"` // of the device file: "write.median"
	Source Source   `json:"source"`
	Note   string   `json:"note,omitempty"`
}

// Source is where a figure is from. Date is that of the source, or as of when what
// it says is known.
type Source struct {
	Title  string `json:"title"`
	Author string `json:"author,omitempty"`
	Date   string `json:"date,omitempty"`
}

// String is the source as it is cited: "Samsung, SM863a data sheet (October 2016)".
func (s Source) String() string {
	text, beside := s.Title, s.Date
	switch {
	case s.Author == unnamed:
		beside = unnamed + ", " + s.Date
	case s.Author != "":
		text = s.Author + ", " + s.Title
	}
	if beside != "" {
		text += " (" + beside + ")"
	}
	return text
}

// Price is what a volume costs in a month, in US dollars, as published.
type Price struct {
	Month  float64 `json:"usd_month"`
	For    string  `json:"for"` // "500 GB, us-east-1"
	Source Source  `json:"source"`
	Note   string  `json:"note,omitempty"`
}

// Step is one part of the way of a durable write to the device and back. Least and
// Most are as published, or equal.
type Step struct {
	Name   string        `json:"name"`
	Least  unit.Duration `json:"least"`
	Most   unit.Duration `json:"most"`
	Source Source        `json:"source"`
}

// Typical is the middle of a step.
func (s Step) Typical() time.Duration { return (s.Least + s.Most).Std() / 2 }

// catalog is built once: an experiment's checks and its schema ask for devices by
// name again and again.
var catalog = sync.OnceValue(func() []Entry {
	all := []Entry{
		// The volumes of Amazon EBS: general purpose SSD, provisioned IOPS SSD, HDD.
		gp2(), gp3(), gp3Burst(),
		io1(), io2(), io2BlockExpress(),
		hdd("st1", "throughput optimized", hddRates{40, 250, 500, 500}, 500, 23),
		hdd("sc1", "cold", hddRates{12, 80, 192, 250}, 250, 13),
		// The disks in a machine, and the one that is no model at all.
		localNVMe(), sasSSD(), sataSSD(), passThrough(),
	}
	return append(all, replicated()...)
})

// Catalog is all devices that are known by name, the clouds' first. It is the
// caller's own.
func Catalog() []Entry {
	all := slices.Clone(catalog())
	for i := range all {
		all[i] = all[i].clone()
	}
	return all
}

// clone is a copy that shares nothing which can be changed.
func (e Entry) clone() Entry {
	e.Figures = slices.Clone(e.Figures)
	for i := range e.Figures {
		e.Figures[i].Keys = slices.Clone(e.Figures[i].Keys)
	}
	e.Disagreement = slices.Clone(e.Disagreement)
	e.Prices = slices.Clone(e.Prices)
	return e
}

// Find is the entry of a name.
func Find(name string) (Entry, error) {
	var names []string
	for _, e := range catalog() {
		if e.Device.Name == name {
			return e.clone(), nil
		}
		names = append(names, e.Device.Name)
	}
	return Entry{}, hint.Errorf(meant(name, names), "there is no device %q", strictyaml.Shorten(name))
}

// from says where figures are from.
func from(source Source, note string, keys ...string) Figure {
	return Figure{Keys: keys, Source: source, Note: note}
}

// Keys are the keys of the figures that a device has, as in its file: "iops.rate".
func (d Device) Keys() []string { return keysIn(d) }

// The sources of the catalog. Documentation is cited as of when it is known to have
// said so: it has no edition of its own.
var (
	ebsGuide = Source{Title: "Amazon EBS User Guide, volume types", Author: "Amazon Web Services", Date: "as of 2024"}
	ec2Guide = Source{Title: "Amazon EC2 Instance Types, storage optimized", Author: "Amazon Web Services", Date: "as of 2024"}

	bareMetal  = Source{Title: "Bare Metal vs. AWS RDS: Storage Baseline", Author: "Iwan Setiawan"}
	pinning    = Source{Title: "Bare Metal vs. AWS RDS: CPU/NUMA Pinning and HugePages", Author: "Iwan Setiawan"}
	redisAOF   = Source{Title: "Redis + AOF + Distributed Storage: A Cautionary Benchmark", Author: "Iwan Setiawan", Date: "March 2026"}
	caseStudy  = Source{Title: "PostgreSQL OLTP Benchmark - Case Study", Author: unnamed, Date: "undated"}
	selection  = Source{Title: "Storage Selection for Database Workloads", Author: unnamed, Date: "May 2026"}
	sm863a     = Source{Title: "SM863a data sheet", Author: "Samsung", Date: "October 2016"}
	serialATA  = Source{Title: "Serial ATA specification, revision 3", Author: "SATA-IO", Date: "2009"}
	assumption = Source{Title: "assumed", Author: "plinth", Date: "November 2026"}
)

// unnamed is the author of what does not name one.
const unnamed = "author unnamed"

var raidWord = regexp.MustCompile(`(?i)^raid[-_ ]?(0|10?)$`)

// meant is the device that a misspelled name may stand for.
func meant(name string, names []string) string {
	const otherwise = "plinth devices lists them; a device file has a slash in its name, or ends in .yaml"
	if level := raidWord.FindStringSubmatch(name); level != nil {
		return fmt.Sprintf("an array is emulate: {raid: %s, of: gp3, members: 8}; plinth devices lists what its members can be", level[1])
	}
	if near := alike(name, names); len(near) > 0 {
		return "did you mean " + hint.Choice(near) + "? plinth devices lists them"
	}
	return otherwise
}

// alike are all names that have the word in them, or else all that are nearest to it:
// gp4 may stand for gp2 as well as for gp3.
func alike(word string, names []string) []string {
	near := hint.AllNearest(word, names)
	if len(word) < 3 || len(near) > 0 && strings.EqualFold(near[0], word) {
		return near
	}
	var within []string
	for _, name := range names {
		if strings.Contains(name, strings.ToLower(word)) {
			within = append(within, name)
		}
	}
	if len(within) > 0 {
		return within
	}
	return near
}
