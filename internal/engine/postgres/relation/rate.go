package relation

import (
	"errors"
	"fmt"
	"time"

	"plinth/internal/hint"
)

// Unknown is the value of a rate that the server does not count.
const Unknown = -1

// Rates are averages per second between two readings, or since the statistics were reset.
type Rates struct {
	Of        string // the run that they are of; "" for a server, or for files of readings
	From, To  time.Time
	SinceOnly bool    // from one reading: since the statistics were reset, or since they began
	Reset     bool    // From is a reset; otherwise, of one reading, the start of the server's statistics
	Reading   Reading // the later one: sizes, tablespaces, settings
	Relations []RelationRate
	// Rest has the relations that are not among Relations, by group.
	Rest []GroupRate
	ServerRates
}

// Length returns the time that the rates are averaged over.
func (r Rates) Length() time.Duration { return r.To.Sub(r.From) }

// ServerRates are those of the database, and of WAL and writes of the whole server, per second.
type ServerRates struct {
	Commits   float64
	TempBytes float64
	WALBytes  float64 // or Unknown
	WALWrites float64 // or Unknown
	WALSyncs  float64 // or Unknown
	// Blocks of relations that the server wrote, for all databases; or Unknown.
	Blocks float64
	// Checkpoint is the mean time from one checkpoint to the next.
	Checkpoint time.Duration
}

// Flow holds the reads, scans and changes of a relation, per second.
type Flow struct {
	Misses     float64 // blocks that are not in shared_buffers
	Requests   float64 // blocks that queries need
	SeqScans   float64
	IndexScans float64
	Inserted   float64 // rows, as those below
	Updated    float64
	HotUpdated float64
	Deleted    float64
}

// RelationRate is a relation as the later reading has it, with its rates.
type RelationRate struct {
	Relation
	Flow
	Growth float64 // bytes a second; 0 from one reading
}

// GroupRate is the part of a group that is not listed relation by relation, with its rates.
type GroupRate struct {
	Group
	Flow
	Growth float64
}

// ErrReset is the cause of an error of Between: the statistics were reset between the readings.
var ErrReset = errors.New("the statistics were reset between the two readings")

const resetHint = "take two new readings; pg_stat_reset, a crash of the server and a restore all reset the statistics"

// SinceReset returns the rates of one reading, since its statistics were reset.
func SinceReset(l Reading) (Rates, error) {
	r := Rates{From: l.Since, To: l.Taken, SinceOnly: true, Reset: l.SinceKnown, Reading: l}
	length := r.Length().Seconds()
	if length <= 0 {
		return Rates{}, hint.Errorf("wait, or take two readings", "the statistics were reset just before the reading was taken")
	}
	for _, one := range l.Relations {
		r.Relations = append(r.Relations, RelationRate{Relation: one, Flow: one.flow(length)})
	}
	r.Rest = rest(nil, l.Groups, nil, l.Relations, length)
	r.Commits, r.TempBytes = float64(l.Database.Commits)/length, float64(l.Database.TempBytes)/length
	r.setWAL(WAL{Since: l.WAL.Since}, l.WAL, l.Taken.Sub(l.WAL.Since))
	r.setWrites(Writes{Since: l.Writes.Since}, l.Writes, l.Taken.Sub(l.Writes.Since))
	return r, nil
}

// Between returns the rates between two readings of one database. A reset between them is an error
// that wraps ErrReset.
func Between(a, b Reading) (Rates, error) {
	switch {
	case a.Database.OID != b.Database.OID || a.Database.Name != b.Database.Name || a.Server.other(b.Server):
		return Rates{}, hint.Errorf("give two readings of one database", "the readings are of different databases: %s and %s", a.Database.Name, b.Database.Name)
	case !b.Taken.After(a.Taken):
		return Rates{}, hint.Errorf("give the earlier reading first", "the second reading was not taken after the first")
	}
	if err := resetBetween(a, b); err != nil {
		return Rates{}, hint.Wrap(err, resetHint)
	}
	r := Rates{From: a.Taken, To: b.Taken, Reading: b}
	length := r.Length()
	before := map[uint32]Relation{}
	for _, one := range a.Relations {
		before[one.OID] = one
	}
	complete := complete(a)
	var earlier, later []Relation
	for _, one := range b.Relations {
		was, known := before[one.OID]
		if !known && !complete {
			continue // it may have been there without being listed, so it stays in its group
		}
		if err := one.fell(was); known && err != nil {
			return Rates{}, hint.Wrap(err, resetHint)
		}
		rate := RelationRate{Relation: one, Growth: float64(one.Size-was.Size) / length.Seconds()}
		change := one.Counters
		change.combine(was.Counters, -1)
		rate.Flow = change.flow(length.Seconds())
		r.Relations = append(r.Relations, rate)
		later = append(later, one)
		if known {
			earlier = append(earlier, was)
		}
	}
	r.Rest = rest(a.Groups, b.Groups, earlier, later, length.Seconds())
	r.Commits = float64(b.Database.Commits-a.Database.Commits) / length.Seconds()
	r.TempBytes = float64(b.Database.TempBytes-a.Database.TempBytes) / length.Seconds()
	r.setWAL(a.WAL, b.WAL, length)
	r.setWrites(a.Writes, b.Writes, length)
	return r, nil
}

// other reports whether it is known that the servers differ.
func (s Server) other(b Server) bool { return s.System != "" && b.System != "" && s.System != b.System }

// complete reports whether a reading lists each relation that is not of the server's own catalog.
func complete(l Reading) bool {
	for _, g := range l.Groups {
		if !g.System && g.Kept < g.Members {
			return false
		}
	}
	return true
}

func resetBetween(a, b Reading) error {
	switch {
	case a.SinceKnown != b.SinceKnown, a.SinceKnown && !a.Since.Equal(b.Since):
		return fmt.Errorf("%w: those of the database at %s", ErrReset, b.Since.Format(time.RFC3339))
	case b.Database.Commits < a.Database.Commits, b.Database.Read < a.Database.Read,
		b.Database.Hit < a.Database.Hit, b.Database.TempBytes < a.Database.TempBytes:
		return fmt.Errorf("%w: a counter of the database fell", ErrReset)
	case !a.WAL.Since.Equal(b.WAL.Since), b.WAL.Bytes < a.WAL.Bytes:
		return fmt.Errorf("%w: those of the WAL", ErrReset)
	case !a.Writes.Since.Equal(b.Writes.Since), b.Writes.blocks() < a.Writes.blocks():
		return fmt.Errorf("%w: those of the writes of the server", ErrReset)
	}
	return nil
}

// fell reports a counter that is lower than before.
func (r *Relation) fell(was Relation) error {
	before := was.each()
	for i, one := range r.each() {
		// Hits and misses are read one after the other, and need not match exactly.
		if *one.value < *before[i].value && before[i].value != &was.Read && before[i].value != &was.ToastRead && before[i].value != &was.ToastIndexRead {
			return fmt.Errorf("%w: %s of %s fell from %d to %d", ErrReset, one.name, r.Name, *before[i].value, *one.value)
		}
	}
	return nil
}
