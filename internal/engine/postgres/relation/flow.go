package relation

import "time"

// flow returns the counters per second. A counter that fell, because a relation of a group was
// dropped, counts as zero.
func (c Counters) flow(seconds float64) Flow {
	per := func(n int64) float64 { return float64(max(0, n)) / seconds }
	return Flow{
		Misses: per(c.Misses()), Requests: per(c.Requests()), SeqScans: per(c.SeqScans), IndexScans: per(c.IndexScans),
		Inserted: per(c.Inserted), Updated: per(c.Updated), HotUpdated: per(c.HotUpdated), Deleted: per(c.Deleted),
	}
}

// rest returns what is left of the groups without the relations that are listed, and its rates
// between two times.
func rest(before, after []Group, earlier, later []Relation, seconds float64) []GroupRate {
	was := map[groupKey]Group{}
	for _, g := range before {
		was[g.key()] = g
	}
	for _, r := range earlier {
		g := was[keyOf(r)]
		g.remove(r)
		was[keyOf(r)] = g
	}
	listed := map[groupKey]*Group{}
	groups := make([]Group, len(after))
	copy(groups, after)
	for i := range groups {
		groups[i].Kept = 0
		listed[groups[i].key()] = &groups[i]
	}
	for _, r := range later {
		if g := listed[keyOf(r)]; g != nil {
			g.remove(r)
		}
	}
	var left []GroupRate
	for _, g := range groups {
		if g.Members <= 0 {
			continue
		}
		one := GroupRate{Group: g}
		change := g.Counters
		if old, known := was[g.key()]; known {
			change.combine(old.Counters, -1)
			one.Growth = float64(g.Size-old.Size) / seconds
		}
		one.Flow = change.flow(seconds)
		left = append(left, one)
	}
	return left
}

// remove subtracts a relation from the group that it is a member of.
func (g *Group) remove(r Relation) {
	g.Members--
	g.Size -= r.Size
	g.Rows -= max(0, r.Rows)
	g.combine(r.Counters, -1)
}

// blocks returns all blocks that the server wrote.
func (w Writes) blocks() int64 { return w.Checkpointer + w.Background + w.Backends }

// setWAL sets the rates of the WAL between two readings, if the time between them is known.
func (r *Rates) setWAL(a, b WAL, between time.Duration) {
	r.WALBytes, r.WALWrites, r.WALSyncs = Unknown, Unknown, Unknown
	if r.SinceOnly && b.Since.IsZero() || between <= 0 {
		return
	}
	r.WALBytes = float64(b.Bytes-a.Bytes) / between.Seconds()
	if b.Writes >= 0 && a.Writes >= 0 {
		r.WALWrites = float64(b.Writes-a.Writes) / between.Seconds()
	}
	if b.Syncs >= 0 && a.Syncs >= 0 {
		r.WALSyncs = float64(b.Syncs-a.Syncs) / between.Seconds()
	}
}

// setWrites sets the rate of the server's writes, and the time between checkpoints: that of
// checkpoint_timeout if there was none.
func (r *Rates) setWrites(a, b Writes, between time.Duration) {
	r.Blocks, r.Checkpoint = Unknown, time.Duration(b.Timeout)*time.Second
	if r.SinceOnly && b.Since.IsZero() || between <= 0 {
		return
	}
	r.Blocks = float64(b.blocks()-a.blocks()) / between.Seconds()
	if n := b.Checkpoints - a.Checkpoints; n > 0 {
		r.Checkpoint = min(r.Checkpoint, between/time.Duration(n))
	}
}
