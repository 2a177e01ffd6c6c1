package layout

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/unit"
)

// Text returns the file of an input: with what is assumed in place of what is missing, so that it can
// be edited.
func (in Input) Text() ([]byte, error) {
	c, err := in.complete()
	if err != nil {
		return nil, err
	}
	b := &strings.Builder{}
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	line("# What plinth layout chooses storage for. Sizes have a unit; reads and writes are blocks a second.")
	if validOther.MatchString(c.Name) {
		line("name: %q", c.Name)
	}
	line("tps: %s", plain(c.TPS))
	line("read_share: %s # of the transactions", unit.Share(*c.ReadShare))
	line("objects: # a table or an index each; of: TABLE for an index, append_only: true")
	for _, name := range slices.Sorted(maps.Keys(c.Objects)) {
		line("  %s: {%s}", name, c.Objects[name].words())
	}
	line("wal: {commits: %s, bytes: %s} # a second, and each", plain(c.WAL.Commits), c.WAL.Bytes.Exact())
	if t := c.Temp; t.Size > 0 {
		line("temp: {size: %s, rate: %s} # at most, and written a second", t.Size.Exact(), exactRate(t.Rate))
	} else {
		line("# temp: {size: 100GiB, rate: 20MiB/s}")
	}
	if len(c.Other) == 0 {
		line("# other: {backups: {size: 200GiB, on: [st1]}}")
	} else {
		line("other: # what shares the storage")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Other)) {
		o := c.Other[name]
		words := "size: " + o.Size.Exact()
		if o.Growth > 0 {
			words += ", growth: " + o.Growth.Exact()
		}
		if len(o.On) > 0 {
			words += ", on: [" + strings.Join(o.On, ", ") + "]"
		}
		line("  %s: {%s}", name, words)
	}
	c.goalLines(line)
	return []byte(b.String()), nil
}

func (c *completed) goalLines(line func(format string, args ...any)) {
	if c.Instance == "" {
		line("# instance: i3en.2xlarge # its memory caches, its local disks are offered, its EBS limits count")
	} else {
		line("instance: %s", c.Instance)
	}
	if d := c.Drives; d.Number > 0 {
		use := ""
		if d.Use > 0 {
			use = ", use: " + d.Use.Exact()
		}
		line("drives: {number: %d, size: %s%s} # in place of those of the instance", d.Number, d.Size.Exact(), use)
	}
	line("standby: %s # none, async or sync: without one, local disks are not offered", c.Standby)
	line("months: %d # that the volumes must last", c.Months)
	if c.Budget > 0 {
		line("budget: %s # dollars a month", plain(c.Budget))
	} else {
		line("# budget: 200 # dollars a month")
	}
	if c.Target > 0 {
		line("target: %s # of a mean read, and of a durable write of the WAL", c.Target)
	} else {
		line("# target: 1ms # of a mean read, and of a durable write of the WAL")
	}
}

func (o Object) words() string {
	words := fmt.Sprintf("size: %s, reads: %s, writes: %s", o.Size.Exact(), plain(o.Reads), plain(o.Writes))
	if o.Growth > 0 {
		words += ", growth: " + o.Growth.Exact()
	}
	if o.Of != "" {
		words += ", of: " + o.Of
	}
	if o.AppendOnly {
		words += ", append_only: true"
	}
	return words
}

// plain formats a number as a file has it: without an exponent, with at most four decimals.
func plain(f float64) string {
	text := strconv.FormatFloat(f, 'f', 4, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// exactRate formats a rate so that it reads back as the same whole number of bytes.
func exactRate(r unit.Rate) string { return unit.Size(r).Exact() + "/s" }
