package placement

import (
	"fmt"
	"math"
	"time"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

// Sizes of operations. PostgreSQL writes temporary files in blocks of 8 KiB that the kernel merges;
// the largest common request of a disk is 128 KiB (assumed).
const tempOperation = 128 * unit.KiB

// FromRates returns the objects of a database with their temperatures, by plinth's rules.
func FromRates(r relation.Rates) Workload { return FromRatesBy(r, Rules) }

// FromRatesBy is FromRates with other rules.
func FromRatesBy(r relation.Rates, rules []Rule) Workload {
	w := Workload{Notes: notesOf(r)}
	d := r.Reading.Database
	checkpoint := max(1, r.Checkpoint.Seconds())
	for _, one := range r.Relations {
		w.Objects = append(w.Objects, fromRelation(one, d.BlockSize, checkpoint))
	}
	for _, one := range r.Rest {
		w.Objects = append(w.Objects, fromGroup(one, d.BlockSize, checkpoint, d.Tablespace))
	}
	ranges := make([]*Range, len(w.Objects))
	for i := range w.Objects {
		ranges[i] = &w.Objects[i].Writes
	}
	w.Writes = scale(ranges, r.Blocks)
	w.Objects = append(w.Objects, walOf(r), tempOf(r))
	warm(w.Objects, rules)
	noteScans(w.Objects, r)
	return w
}

// FromObjects returns the workload of objects whose sizes and rates are stated, with their temperatures
// by plinth's rules.
func FromObjects(objects []Object) Workload {
	warm(objects, Rules)
	return Workload{Objects: objects}
}

func fromRelation(r relation.RelationRate, block int64, checkpoint float64) Object {
	o := Object{
		Name: r.String(), Kind: r.Kind, Relation: r.Name, Of: r.Of, Root: r.Root, Tablespace: r.Tablespace, Unlogged: r.Unlogged,
		Size: unit.Size(r.Size), Growth: r.Growth, Requests: r.Requests, Reads: r.Misses, Operation: unit.Size(block),
		Changes: Changes{r.Inserted, r.Updated, r.HotUpdated, r.Deleted}, members: 1, future: r.Future,
	}
	p := pages{float64(r.Size-r.Toast) / float64(block), r.Rows, r.Kind == relation.Index, o.Changes, max(0, r.Growth) / float64(block)}
	o.Writes.Low, o.Writes.High = p.writes(checkpoint)
	o.Queried, o.Changed = p.uses(r.Requests, r.SeqScans+r.IndexScans)
	return o
}

func fromGroup(g relation.GroupRate, block int64, checkpoint float64, defaultSpace string) Object {
	what := "tables"
	if g.Indexes {
		what = "indexes"
	}
	o := Object{
		Name: fmt.Sprintf("%d %s of %s", g.Members, what, g.Name.Schema), Kind: Rest, Tablespace: g.Tablespace,
		Size: unit.Size(g.Size), Growth: g.Growth, Requests: g.Requests, Reads: g.Misses, Operation: unit.Size(block),
		Changes: Changes{g.Inserted, g.Updated, g.HotUpdated, g.Deleted}, members: g.Members,
		Fixed: "they are not listed one by one: list more relations to move them",
	}
	switch {
	case g.System:
		o.Kind = System
		o.Fixed = "the server's own catalog cannot be moved to another tablespace"
	case g.Name.Name != "":
		root := g.Name
		o.Root = &root
		o.Name = fmt.Sprintf("%d %s of %s", g.Members, map[bool]string{false: "partitions", true: "indexes of partitions"}[g.Indexes], g.Name)
	}
	if g.Tablespace != defaultSpace {
		o.Name += " in " + g.Tablespace
	}
	p := pages{float64(g.Size) / float64(block), g.Rows, g.Indexes, o.Changes, max(0, g.Growth) / float64(block)}
	o.Writes.Low, o.Writes.High = p.writes(checkpoint)
	p.blocks /= float64(max(1, g.Members)) // of one of them
	o.Queried, o.Changed = p.uses(g.Requests, g.SeqScans+g.IndexScans)
	return o
}

// walOf returns the WAL, with the size that it usually has at most. A durable write is one that was
// synced. Where the server counts no syncs, because it is too old or wal_sync_method makes each write
// durable, all writes are durable; where it does not count writes either, each commit is one, which is
// the most.
func walOf(r relation.Rates) Object {
	o := Object{Name: WAL, Kind: WAL, Size: unit.Size(r.Reading.WAL.Most), Operation: unit.Size(r.Reading.Database.BlockSize)}
	commits := r.Commits
	switch {
	case r.WALSyncs > 0:
		o.Durable = Exactly(r.WALSyncs)
		o.Writes = Exactly(max(0, r.WALWrites-r.WALSyncs))
	case r.WALWrites >= 0:
		o.Durable = Exactly(r.WALWrites)
	default:
		o.Durable = Range{0, commits, commits}
	}
	if operations := o.Durable.Likely + o.Writes.Likely; operations > 0 && r.WALBytes > 0 {
		// A write is of whole blocks.
		o.Operation = max(o.Operation, unit.Size(math.Ceil(r.WALBytes/operations)))
	}
	return o
}

// tempOf returns the temporary files: what was written is read once.
func tempOf(r relation.Rates) Object {
	operations := r.TempBytes / float64(tempOperation)
	o := Object{
		Name: Temp, Kind: Temp, Operation: tempOperation, Reads: operations, Requests: operations, Writes: Exactly(operations),
		Tablespace: r.Reading.Database.Tablespace, spaces: r.Reading.Database.TempTablespaces,
	}
	if len(o.spaces) > 0 {
		o.Tablespace = o.spaces[0]
	}
	return o
}

// unscanned is how long ago the last scan of a relation must be to be mentioned.
const unscanned = 30 * 24 * time.Hour

// noteScans adds when a relation was last scanned to the reasons for its temperature, or that it
// was not scanned since the statistics were reset.
func noteScans(objects []Object, r relation.Rates) {
	for i, one := range r.Relations {
		o := &objects[i]
		last := one.LastSeqScan
		if t := one.LastIndexScan; t != nil && (last == nil || t.After(*last)) {
			last = t
		}
		counted := one.SeqScans + one.IndexScans
		never := one.Relation.SeqScans+one.Relation.IndexScans == 0
		since := r.Reading.Taken.Sub(r.Reading.Since)
		switch {
		case last != nil && r.Reading.Taken.Sub(*last) >= unscanned:
			o.Why = append(o.Why, fmt.Sprintf("last scanned on %s", last.Format(time.DateOnly)))
		case never && since >= unscanned:
			what := "not scanned since %s, when the statistics began"
			if one.Kind == relation.Index {
				what = "not used since %s, when the statistics began"
			}
			o.Why = append(o.Why, fmt.Sprintf(what, r.Reading.Since.Format(time.DateOnly)))
		case counted == 0 && one.Requests == 0 && !r.SinceOnly:
			o.Why = append(o.Why, "not scanned between the two readings")
		}
	}
}

// notesOf lists what weakens the rates.
func notesOf(r relation.Rates) []string {
	notes := []string{"reads are blocks not found in shared_buffers; the page cache of the kernel serves some of them, so the devices read less"}
	if r.SinceOnly {
		what := "began"
		if r.Reset {
			what = "were reset"
		}
		notes = append(notes, fmt.Sprintf("rates are averages since the statistics %s, at %s: two readings show the present load", what, r.From.UTC().Format(time.DateTime)))
	}
	if r.Of != "" {
		notes = append(notes, "rates are averages over the load of the run, with its warm-up and the checkpoint after it")
	}
	if r.Length() < r.Checkpoint {
		notes = append(notes, fmt.Sprintf("the readings are %s apart, less than the time between two checkpoints (%s): the writes of a whole cycle are not in them", unit.About(r.Length()), unit.About(r.Checkpoint)))
	}
	if !r.Reading.Server.AllStats {
		notes = append(notes, "the role is not a member of pg_read_all_stats: some figures of the server may be missing")
	}
	if r.Reading.Server.Standby {
		notes = append(notes, "the server is a standby: its reads are its own, and changes of rows are those before it became one")
	}
	if r.WALSyncs == relation.Unknown {
		notes = append(notes, "the server does not count writes of the WAL: one durable write for each commit is the most")
	}
	estimated := 0
	for _, one := range r.Relations {
		if one.Estimated {
			estimated++
		}
	}
	if estimated > 0 {
		notes = append(notes, fmt.Sprintf("%s locked: size as of the last vacuum", unit.Count(estimated, "relation")))
	}
	return notes
}
