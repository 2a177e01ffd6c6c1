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

// Entry is one device of the catalog: the model, the source of each of its figures, and
// related facts such as prices.
type Entry struct {
	Device Device `json:"device"`
	Title  string `json:"title"` // "Amazon EBS gp3, general purpose SSD volume"
	// Survives is the worst loss that the data survives, short enough for a table.
	// Device.Durability has the full description.
	Survives string   `json:"survives"`
	Figures  []Figure `json:"figures"`
	// Disagreement lists contradictions between or within the sources. Choice gives the
	// values that the model uses, and why. Both may be empty.
	Disagreement []string `json:"disagreement,omitempty"`
	Choice       string   `json:"choice,omitempty"`
	Offer        Offer    `json:"offer"`
	Prices       []Price  `json:"prices,omitempty"`
	// steps computes the steps on request.
	steps func() []Step
}

// Steps returns the steps of a durable write to the device and back, or nil if nothing
// is published about them.
func (e Entry) Steps() []Step {
	if e.steps == nil {
		return nil
	}
	return e.steps()
}

// Figure gives the source of some of a device's figures.
type Figure struct {
	Keys   []string `json:"keys"` // of the model file: "write.median"
	Source Source   `json:"source"`
	Note   string   `json:"note,omitempty"`
}

// Source is the source of a figure. Date is its publication date, or the date as of
// which its content is known.
type Source struct {
	Title  string `json:"title"`
	Author string `json:"author,omitempty"`
	Date   string `json:"date,omitempty"`
}

// String returns the citation: "Samsung, SM863a data sheet (October 2016)".
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

// Price is the published price of a volume, in US dollars per month.
type Price struct {
	Month  float64 `json:"usd_month"`
	For    string  `json:"for"` // "500 GB, us-east-1"
	Source Source  `json:"source"`
	Note   string  `json:"note,omitempty"`
}

// Step is one step of a durable write to the device and back. Least and Most are the ends of the
// published range, or equal if one value was published.
type Step struct {
	Name   string        `json:"name"`
	Least  unit.Duration `json:"least"`
	Most   unit.Duration `json:"most"`
	Source Source        `json:"source"`
}

// Typical returns the midpoint between Least and Most.
func (s Step) Typical() time.Duration { return (s.Least + s.Most).Std() / 2 }

// catalog is built once: an experiment's checks and its schema look up devices many
// times.
var catalog = sync.OnceValue(func() []Entry {
	all := []Entry{
		// The volumes of Amazon EBS: general purpose SSD, provisioned IOPS SSD, HDD.
		gp2(), gp3(), gp3Burst(),
		io1(), io2(), io2BlockExpress(),
		hdd("st1", "throughput optimized", hddRates{40, 250, 500, 500}, 500, 23),
		hdd("sc1", "cold", hddRates{12, 80, 192, 250}, 250, 13),
		// Local disks, and the pass-through without a model.
		localNVMe(), sasSSD(), sataSSD(), passThrough(),
	}
	return append(all, replicated()...)
})

// Catalog returns a copy of all entries, cloud volumes first.
func Catalog() []Entry {
	all := slices.Clone(catalog())
	for i := range all {
		all[i] = all[i].clone()
	}
	return all
}

// clone returns a copy that shares no mutable data with e.
func (e Entry) clone() Entry {
	e.Figures = slices.Clone(e.Figures)
	for i := range e.Figures {
		e.Figures[i].Keys = slices.Clone(e.Figures[i].Keys)
	}
	e.Disagreement = slices.Clone(e.Disagreement)
	e.Prices = slices.Clone(e.Prices)
	return e
}

// Find returns the entry with the given name. The error for an unknown name has a hint
// with similar names.
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

// from returns a Figure.
func from(source Source, note string, keys ...string) Figure {
	return Figure{Keys: keys, Source: source, Note: note}
}

// Keys returns the keys of the figures that d has, as in a model file: "iops.rate".
func (d Device) Keys() []string { return keysIn(d) }

// The sources of the catalog. Online documentation has no editions, so its date is the
// one at which it is known to have had this content.
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

// unnamed is the author of sources that give none.
const unnamed = "author unnamed"

var raidWord = regexp.MustCompile(`(?i)^raid[-_ ]?(0|10?)$`)

// meant returns the hint for an unknown device name.
func meant(name string, names []string) string {
	const otherwise = "plinth devices lists them; the name of a model file has a slash or ends in .yaml"
	if level := raidWord.FindStringSubmatch(name); level != nil {
		return fmt.Sprintf("write an array as emulate: {raid: %s, of: gp3, members: 8}; plinth devices lists the possible members", level[1])
	}
	if near := alike(name, names); len(near) > 0 {
		return "did you mean " + hint.Choice(near) + "? plinth devices lists them"
	}
	return otherwise
}

// alike returns all names that contain word, or else all names nearest to it: gp4 is as
// near to gp2 as to gp3.
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
