package layout

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/instance"
	"plinth/internal/unit"
)

// Limits of an input, so that no sum overflows and the search ends in time.
const (
	mostObjects  = 500
	mostSize     = unit.Size(1) << 50 // of one object
	mostGrowth   = 16 * unit.TiB      // of one object, a month
	mostMonths   = 120
	mostRate     = 1e9 // operations a second
	mostTPS      = 1e8
	mostDrives   = 64
	mostPerWrite = unit.GiB // bytes of WAL of a commit
)

// mistake is something that an input must not have, at the keys that lead to it.
type mistake struct {
	path         []string
	text, advice string
}

var (
	// validObject is the name of a table or an index, with or without its schema.
	validObject = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_$-]{0,62}\.)?[A-Za-z_][A-Za-z0-9_$-]{0,62}$`)
	// validOther is a name that is also one of a directory.
	validOther = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,30}$`)
	standbys   = []string{NoStandby, AsyncStandby, SyncStandby}
)

// checker collects mistakes.
type checker struct{ found []mistake }

func (c *checker) that(holds bool, path []string, advice, format string, args ...any) {
	if !holds {
		c.found = append(c.found, mistake{path, fmt.Sprintf(format, args...), advice})
	}
}

func (c *checker) rate(what string, f float64, path ...string) {
	c.that(f >= 0 && f <= mostRate && !math.IsNaN(f), path, "write a number from 0 to 1000000000", "%s: %g is not a rate", what, f)
}

func (c *checker) size(what string, s unit.Size, path ...string) {
	c.that(s >= 0 && s <= mostSize, path, "", "%s: %s is more than %s", what, s, mostSize)
}

func (c *checker) growth(what string, s unit.Size, path ...string) {
	c.that(s >= 0 && s <= mostGrowth, path, "", "%s: a growth of %s a month is more than %s", what, s, mostGrowth)
}

// mistakes lists what is wrong with the values that are there. What is missing is found when the input
// is completed, because flags may add it.
func (in Input) mistakes() []mistake {
	c := &checker{}
	c.rate("tps", in.TPS, "tps")
	c.that(in.TPS <= mostTPS, []string{"tps"}, "", "tps: %g are more than %g", in.TPS, mostTPS)
	c.size("size", in.Size, "size")
	c.growth("growth", in.Growth, "growth")
	c.that(in.Size == 0 || len(in.Objects) == 0, []string{"size"}, "leave it out: it follows from the objects", "the size of the whole database is stated beside its objects")
	c.that(in.Growth == 0 || len(in.Objects) == 0, []string{"growth"}, "give each object its growth", "the growth of the whole database is stated beside its objects")
	c.that(in.Months >= 0 && in.Months <= mostMonths, []string{"months"}, "", "months: %d is not from 1 to %d", in.Months, mostMonths)
	c.that(in.Budget >= 0 && in.Budget < 1e12 && !math.IsNaN(in.Budget), []string{"budget"}, "write dollars a month", "budget: %g is not an amount", in.Budget)
	c.that(in.Standby == "" || slices.Contains(standbys, in.Standby), []string{"standby"}, "it can be "+hint.Choice(standbys), "standby: unknown value %q", in.Standby)
	c.objects(in)
	c.streams(in)
	c.others(in)
	c.machine(in)
	return c.found
}

func (c *checker) objects(in Input) {
	c.that(len(in.Objects) <= mostObjects, []string{"objects"}, "list those that matter, and the rest as one", "there are %d objects, more than %d", len(in.Objects), mostObjects)
	tables := []string{}
	for name, o := range in.Objects {
		if o.Of == "" {
			tables = append(tables, name)
		}
	}
	slices.Sort(tables)
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(in.Objects)) {
		o, at := in.Objects[name], func(key string) []string { return []string{"objects", name, key} }
		what := "objects, " + name
		c.that(validObject.MatchString(name), at(""), "use letters, digits, hyphens and underscores", "objects: %q is not a name", name)
		full := relationName(name).String()
		c.that(seen[full] == "", at(""), "", "objects: %s and %s are the same", seen[full], name)
		seen[full] = name
		c.that(o.Size > 0, at("size"), "write its size: 12GiB", "%s: the size is missing, or 0", what)
		c.size(what+", size", o.Size, at("size")...)
		c.growth(what, o.Growth, at("growth")...)
		c.rate(what+", reads", o.Reads, at("reads")...)
		c.rate(what+", writes", o.Writes, at("writes")...)
		c.that(o.Of == "" || slices.Contains(tables, o.Of), at("of"), hint.DidYouMean(o.Of, tables, "it must be a table among the objects"), "%s: there is no table %q", what, o.Of)
	}
}

func (c *checker) streams(in Input) {
	c.rate("wal, commits", in.WAL.Commits, "wal", "commits")
	c.that(in.WAL.Bytes <= mostPerWrite, []string{"wal", "bytes"}, "", "wal: %s for each commit are more than %s", in.WAL.Bytes, mostPerWrite)
	c.that(in.WAL.Bytes == 0 || in.WAL.Rate == 0, []string{"wal", "rate"}, "leave out one of them", "wal: both the bytes of a commit and the rate are stated")
	c.that(float64(in.WAL.Rate) <= mostRate*100, []string{"wal", "rate"}, "", "wal: a rate of %s is too much", in.WAL.Rate)
	c.size("temp", in.Temp.Size, "temp", "size")
	c.that(float64(in.Temp.Rate) <= mostRate*100, []string{"temp", "rate"}, "", "temp: a rate of %s is too much", in.Temp.Rate)
	c.that(in.Temp.Rate == 0 || in.Temp.Size > 0, []string{"temp"}, "write temp: {size: 100GiB, rate: 20MiB/s}", "temp: there is a rate without a size")
}

func (c *checker) others(in Input) {
	for _, name := range slices.Sorted(maps.Keys(in.Other)) {
		o, what := in.Other[name], "other, "+name
		c.that(validOther.MatchString(name) && !slices.Contains(roles, name), []string{"other", name},
			"use lower-case letters, digits, hyphens and underscores, but none of "+strings.Join(roles, ", "), "other: %q is not a name", name)
		c.that(o.Size > 0, []string{"other", name, "size"}, "write its size: 200GiB", "%s: the size is missing, or 0", what)
		c.size(what, o.Size, "other", name, "size")
		c.growth(what, o.Growth, "other", name, "growth")
		for _, on := range o.On {
			c.that(slices.Contains(places, on), []string{"other", name, "on"}, hint.DidYouMean(on, places, "it can be "+hint.Choice(places)), "%s: there is no device %q", what, on)
		}
	}
}

func (c *checker) machine(in Input) {
	if in.Instance != "" {
		i, err := instance.Find(in.Instance)
		c.that(err == nil, []string{"instance"}, hint.Of(err), "instance: %v", err)
		c.that(err != nil || !i.Managed(), []string{"instance"}, "name an instance of EC2: "+i.Type, "instance: %s is managed, and its storage with it", in.Instance)
	}
	d := in.Drives
	c.that(d.Number >= 0 && d.Number <= mostDrives, []string{"drives", "number"}, "", "drives: %d is not from 1 to %d", d.Number, mostDrives)
	c.that((d.Number > 0) == (d.Size > 0), []string{"drives"}, "write drives: {number: 2, size: 1900GB}", "drives: the number or the size is missing")
	c.that(d.Use <= d.Size, []string{"drives", "use"}, "", "drives: of %s, %s cannot be used", d.Size, d.Use)
	c.size("drives", d.Size, "drives", "size")
}
