package price

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// MostFile is the maximum size of a price file, in bytes.
const MostFile = 4 << 20

var kind = strictyaml.Kind{Name: "price book", File: "price file", Limit: MostFile, Begin: "begin with the output of plinth prices --yaml"}

// Parse reads a book; mistakes (*strictyaml.Error) refer to it as filename.
func Parse(filename string, data []byte) (*Book, error) {
	notes := &strictyaml.Notes{File: filename, In: "the price book"}
	root, err := notes.Document(data, kind)
	switch {
	case err != nil:
		notes.Syntax(data, err)
	case root != nil:
		b := &Book{Hours: HoursInMonth}
		expanded := notes.Expand(root)
		notes.Fill(expanded, b, "the price book")
		b.check(notes, expanded)
		if err := notes.Err(); err != nil {
			return nil, err
		}
		return b, nil
	}
	return nil, notes.Err()
}

var (
	validName     = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,62}$`)
	validCurrency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// check notes what a book must not be. Mistakes point to the nearest key.
func (b *Book) check(notes *strictyaml.Notes, root *yaml.Node) {
	c := checker{b, notes}
	c.that(b.Schema == Schema, at(root, "schema"), "write schema: "+Schema, "the schema is %q", b.Schema)
	c.that(validName.MatchString(b.Name), at(root, "name"), "use lower-case letters, digits, hyphens and dots", "%q is not a name of a book", b.Name)
	c.that(validCurrency.MatchString(b.Currency), at(root, "currency"), "write its code: USD", "%q is not a currency", b.Currency)
	_, err := time.Parse(time.DateOnly, b.Date)
	c.that(err == nil, at(root, "date"), "write the day on which the prices held: 2026-11-01", "%q is not a date", b.Date)
	c.that(b.Hours > 0 && b.Hours <= 744, at(root, "hours"), "leave it out for 730", "a month has no %g hours", b.Hours)
	c.that(len(b.Regions) > 0, root, "", "the book has no region")
	regions := at(root, "regions")
	for name, region := range b.Regions {
		c.region(at(regions, name), region)
	}
}

// at returns the value of a key; the mapping itself without one.
func at(n *yaml.Node, key string) *yaml.Node {
	if value := strictyaml.Lookup(n, key); value != nil {
		return value
	}
	return n
}

type checker struct {
	book  *Book
	notes *strictyaml.Notes
}

func (c checker) that(holds bool, n *yaml.Node, advice, format string, args ...any) {
	if !holds {
		c.notes.Add(n, advice, format, args...)
	}
}

func (c checker) source(n *yaml.Node, name string) {
	_, known := c.book.Sources[name]
	c.that(known, at(n, "source"), hint.DidYouMean(name, slices.Sorted(maps.Keys(c.book.Sources)), "describe it under sources"), "there is no source %q", name)
}

func (c checker) region(n *yaml.Node, r *Region) {
	if r.Instances.Hour != nil {
		c.source(at(n, "instances"), r.Instances.Source)
	}
	if r.Surplus.VCPUHour != nil {
		c.source(at(n, "surplus_credits"), r.Surplus.Source)
	}
	for name, term := range r.Terms {
		here := at(at(n, "terms"), name)
		c.source(here, term.Source)
		c.that(term.Discount >= 0 && term.Discount < 1, at(here, "discount"), "write a share: 0.7", "a discount of %g is not from 0 to 1", term.Discount)
		c.that(term.Discount > 0 || len(term.Hour) > 0, here, "", "the term has neither a discount nor prices")
	}
	c.volumes(at(n, "volumes"), r.Volumes)
	for name, database := range r.Databases {
		here := at(at(n, "databases"), name)
		c.source(here, database.Source)
		c.volumes(at(here, "volumes"), database.Volumes)
	}
}

func (c checker) volumes(n *yaml.Node, all map[string]Volume) {
	for name, v := range all {
		here := at(n, name)
		c.source(here, v.Source)
		c.that(v.GB != nil, here, "write gb: unknown if it is not known", "the volume has no price of a gigabyte (gb)")
		c.tiers(at(here, "iops"), v.IOPS)
		c.tiers(at(here, "throughput"), v.Throughput)
		for _, i := range v.Included {
			c.that(i.FromGB >= 0 && i.IOPS >= 0 && i.Throughput >= 0 && isNumber(i.FromGB+i.IOPS+i.Throughput), at(here, "included"), "", "what is included cannot be negative")
		}
	}
}

func (c checker) tiers(n *yaml.Node, tiers []Tier) {
	for i, t := range tiers {
		c.that(t.Above >= 0 && isNumber(t.Above), n, "", "a tier begins above %g", t.Above)
		c.that(i == 0 || t.Above > tiers[i-1].Above, n, "", "the tier above %g is not after that above %g", t.Above, tiers[max(0, i-1)].Above)
	}
}

// Region returns the prices of a region. The error for one that the book does not have lists those that it
// has.
func (b *Book) Region(name string) (*Region, error) {
	if r, found := b.Regions[name]; found {
		return r, nil
	}
	names := slices.Sorted(maps.Keys(b.Regions))
	return nil, hint.Errorf(hint.DidYouMean(name, names, "it has "+strings.Join(names, ", ")), "the price book %s has no region %q", b.Name, name)
}

// DefaultRegion returns the only region of a book, or us-east-1 if it has that; "" otherwise.
func (b *Book) DefaultRegion() string {
	const usual = "us-east-1"
	if len(b.Regions) == 1 {
		for name := range b.Regions {
			return name
		}
	}
	if _, found := b.Regions[usual]; found {
		return usual
	}
	return ""
}

// source returns a source of the book by its name.
func (b *Book) source(name string) Source { return b.Sources[name] }
