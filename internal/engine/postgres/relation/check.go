package relation

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// check finds what a reading never has, in a file that was changed.
func (l *Reading) check() error {
	switch d := l.Database; {
	case l.Taken.IsZero() || l.Since.IsZero():
		return errors.New("it lacks the time at which it was taken, or since when it counts")
	case l.Taken.Before(l.Since):
		return errors.New("it was taken before its counters began")
	case d.Name == "" || d.Tablespace == "":
		return errors.New("it lacks the name of the database or of its tablespace")
	case d.BlockSize < 1<<10 || d.BlockSize > 1<<15:
		return fmt.Errorf("its block size is %d bytes", d.BlockSize)
	case min(d.Size, d.Read, d.Hit, d.Commits, d.TempBytes) < 0:
		return errors.New("a counter of the database is negative")
	case min(l.WAL.Bytes, l.WAL.Most, l.WAL.Writes-Unknown, l.WAL.Syncs-Unknown) < 0:
		return errors.New("a counter of the WAL is negative")
	case min(l.Writes.Checkpointer, l.Writes.Background, l.Writes.Backends, l.Writes.Checkpoints, l.Writes.Timeout) < 0:
		return errors.New("a counter of writes is negative")
	case len(l.Relations) > mostRelations || len(l.Groups) > mostRelations:
		return fmt.Errorf("it has more than %d relations or groups", mostRelations)
	}
	return l.checkMembers()
}

func (l *Reading) checkMembers() error {
	seen := map[uint32]bool{}
	for _, r := range l.Relations {
		if seen[r.OID] {
			return fmt.Errorf("it has two relations of OID %d", r.OID)
		}
		seen[r.OID] = true
		if err := r.check(); err != nil {
			return fmt.Errorf("relation %.80q: %w", r.String(), err)
		}
	}
	for _, g := range l.Groups {
		if err := g.check(); err != nil {
			return fmt.Errorf("group %.80q: %w", g.Name.String(), err)
		}
	}
	for _, a := range l.Ages {
		if err := a.check(); err != nil {
			return fmt.Errorf("ages of %.80q: %w", a.Table.String(), err)
		}
	}
	return nil
}

func (r *Relation) check() error {
	switch {
	case r.Schema == "" || r.Name.Name == "" || r.Tablespace == "":
		return errors.New("it lacks a name or a tablespace")
	case !slices.Contains([]string{Table, Partition, MatView, Index}, r.Kind):
		return fmt.Errorf("its kind is %.40q", r.Kind)
	case (r.Kind == Index) != (r.Of != nil):
		return errors.New("only an index has a table that it is of")
	case min(r.Size, r.Toast) < 0 || r.Toast > r.Size:
		return errors.New("its size is negative, or less than that of its toast")
	case math.IsNaN(r.Rows) || r.Rows < -1:
		return errors.New("its number of rows is negative")
	}
	return r.Counters.check()
}

func (g *Group) check() error {
	switch {
	case g.Name.Schema == "" || g.Tablespace == "":
		return errors.New("it lacks a schema or a tablespace")
	case g.Kept < 0 || g.Kept > g.Members || g.Size < 0 || g.Rows < 0:
		return errors.New("its size is negative, or it has fewer members than are listed")
	}
	return g.Counters.check()
}

func (c *Counters) check() error {
	for _, one := range c.each() {
		if *one.value < 0 {
			return fmt.Errorf("%s is negative", one.name)
		}
	}
	if c.HotUpdated > c.Updated {
		return errors.New("more rows were updated without a change of an index than were updated")
	}
	return nil
}
