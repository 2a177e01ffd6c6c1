package placement

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/unit"
)

// Temperature is how much an object is used.
type Temperature string

// The temperatures, as in "Storage Selection for Database Workloads".
const (
	Hot      Temperature = "hot"
	WriteHot Temperature = "write-hot"
	Warm     Temperature = "warm"
	Cold     Temperature = "cold"
)

// Rule gives a temperature to an object that meets all its conditions. A zero condition is none.
type Rule struct {
	Temperature Temperature `json:"temperature"`
	// Reads and Writes are the least shares of Object.Queried and Object.Changed of the whole
	// database; Either is the least of one of the two.
	Reads  unit.Share `json:"least_reads,omitempty"`
	Writes unit.Share `json:"least_writes,omitempty"`
	Either unit.Share `json:"least_of_either,omitempty"`
	// MoreWrites: more rows are changed than blocks read by queries.
	MoreWrites bool `json:"more_writes,omitempty"`
	// Below: fewer reads and writes a second.
	Below  float64 `json:"fewer_operations_s,omitempty"`
	Source string  `json:"source"`
}

const fromArticle = "the threshold that separates the eight objects in \"Storage Selection for Database Workloads\" as published"

// Rules are those of plinth, in the order in which they apply: the first one decides. An article
// gives temperatures without thresholds: its hot objects have 25% or more of the reads, its
// write-hot ones 49% of the writes, its warm one 6% of the reads, its cold ones less than 0.1%.
var Rules = []Rule{
	{Temperature: Cold, Below: 0.1, Source: "assumed: less than one operation in ten seconds is noise"},
	{Temperature: WriteHot, Writes: 0.10, MoreWrites: true, Source: fromArticle},
	{Temperature: Hot, Reads: 0.10, Source: fromArticle},
	{Temperature: WriteHot, Writes: 0.10, Source: fromArticle},
	{Temperature: Warm, Either: 0.01, Source: fromArticle},
	{Temperature: Cold, Source: fromArticle},
}

// Thresholds of an append-only object: rows changed per row inserted, and inserts a second.
const (
	mostChanged = unit.Share(0.01)
	leastAdded  = 0.1
)

// use is an object's part of the use of the database.
type use struct {
	reads, writes         float64 // per second
	readShare, writeShare float64
	partitions            int // that the shares were taken of; 0 for the object alone
}

// warm sets the temperature of each object, by the first rule that applies. A partition is judged
// as if all partitions of its table were used as much as itself, but by no more than the use of all
// of them: how many partitions a table has does not make them cold.
func warm(objects []Object, rules []Rule) {
	uses := usesOf(objects)
	for i := range objects {
		o, u := &objects[i], uses[i]
		if !o.judged() {
			continue
		}
		for _, r := range rules {
			if r.applies(u) {
				o.Temperature, o.Why = r.Temperature, append(o.Why, r.because(u))
				break
			}
		}
		c := o.Changes
		if o.AppendOnly = c.Inserted >= leastAdded && c.Updated+c.Deleted <= float64(mostChanged)*c.Inserted; o.AppendOnly {
			o.Why = append(o.Why, fmt.Sprintf("append-only: of %s rows changed a second, at most %s were in it before", unit.Digits(c.Inserted+c.Updated+c.Deleted, 4), mostChanged))
		}
	}
}

// judged reports whether the object has a temperature.
func (o Object) judged() bool {
	return o.Kind != WAL && o.Kind != Temp && o.Kind != System && o.Kind != Other
}

// rootKey identifies the partitions of one table, or their indexes.
type rootKey struct {
	name  string
	index bool
}

func (o Object) rootKey() (rootKey, bool) {
	if o.Root == nil {
		return rootKey{}, false
	}
	return rootKey{o.Root.String(), o.Kind == "index"}, true
}

func usesOf(objects []Object) []use {
	var reads, writes float64
	roots := map[rootKey]use{}
	for _, o := range objects {
		if !o.judged() {
			continue
		}
		reads, writes = reads+o.Queried, writes+o.Changed
		if key, is := o.rootKey(); is {
			u := roots[key]
			roots[key] = use{reads: u.reads + o.Queried, writes: u.writes + o.Changed, partitions: u.partitions + max(1, o.members)}
		}
	}
	share := func(part, of float64) float64 {
		if of <= 0 {
			return 0
		}
		return part / of
	}
	uses := make([]use, len(objects))
	for i, o := range objects {
		u := use{reads: o.Queried, writes: o.Changed}
		u.readShare, u.writeShare = share(u.reads, reads), share(u.writes, writes)
		if key, is := o.rootKey(); is {
			all := roots[key]
			u.partitions = all.partitions
			factor := float64(all.partitions) / float64(max(1, o.members))
			u.readShare = min(share(all.reads, reads), factor*u.readShare)
			u.writeShare = min(share(all.writes, writes), factor*u.writeShare)
		}
		uses[i] = u
	}
	return uses
}

func (r Rule) applies(u use) bool {
	return u.readShare >= float64(r.Reads) && u.writeShare >= float64(r.Writes) &&
		max(u.readShare, u.writeShare) >= float64(r.Either) &&
		(!r.MoreWrites || u.writes > u.reads) &&
		(r.Below == 0 || u.reads+u.writes < r.Below)
}

// because says which figures met the rule.
func (r Rule) because(u use) string {
	of := ""
	if u.partitions > 1 {
		of = fmt.Sprintf(", if all %d partitions were used as much, and no more than they are", u.partitions)
	}
	if r.Below > 0 {
		return fmt.Sprintf("%s: %s reads and writes a second, fewer than %s", r.Temperature, unit.Digits(u.reads+u.writes, 2), unit.Digits(r.Below, 2))
	}
	var conditions []string
	for _, c := range []struct {
		least unit.Share
		of    string
	}{{r.Reads, "the reads"}, {r.Writes, "the writes"}, {r.Either, "either"}} {
		if c.least > 0 {
			conditions = append(conditions, fmt.Sprintf("%s or more of %s", c.least, c.of))
		}
	}
	if r.MoreWrites {
		conditions = append(conditions, "more writes than reads")
	}
	text := fmt.Sprintf("%s: %s%% of the reads and %s%% of the writes%s", r.Temperature, unit.Digits(100*u.readShare, 2), unit.Digits(100*u.writeShare, 2), of)
	if len(conditions) == 0 {
		return text + ": less than the least of a warm object"
	}
	return text + " (" + strings.Join(slices.Clip(conditions), ", ") + ")"
}
