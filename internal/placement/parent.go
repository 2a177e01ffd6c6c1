package placement

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

// moving returns the objects that move, in the order of their moves: what each move saves decides,
// so that an end halfway keeps most of the gain, but a move for which the store has no room yet
// waits until others have left it.
func (p *problem) moving(layout []int) (order []int) {
	var waiting []int
	held := make([]unit.Size, len(p.stores))
	for i, to := range layout {
		if at := p.now[i]; at >= 0 {
			held[at] += p.objects[i].Size
		}
		if p.now[i] != to && p.objects[i].Fixed == "" {
			waiting = append(waiting, i)
		}
	}
	slices.SortStableFunc(waiting, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.gain(b, layout[b]), p.gain(a, layout[a])), cmp.Compare(p.objects[a].Name, p.objects[b].Name))
	})
	fits := func(i int) bool {
		room := p.stores[layout[i]].Capacity
		return room == 0 || held[layout[i]]+p.objects[i].Size <= room
	}
	for len(waiting) > 0 {
		k := max(0, slices.IndexFunc(waiting, fits))
		i := waiting[k]
		held[layout[i]] += p.objects[i].Size
		if at := p.now[i]; at >= 0 {
			held[at] -= p.objects[i].Size
		}
		order, waiting = append(order, i), slices.Delete(waiting, k, k+1)
	}
	return order
}

// parents returns statements that make new partitions go where all partitions of a table are, if
// that is one store to which at least one of them moves. They move nothing.
func (p *problem) parents(layout []int, spaces []string) (steps []Step, undo []string) {
	type home struct {
		at, was int // was: an object that has the present tablespace
		mixed   bool
		moves   bool
	}
	homes := map[relation.Name]*home{}
	var order []relation.Name
	for i, o := range p.objects {
		if o.Root == nil || o.Kind == relation.Index {
			continue
		}
		h := homes[*o.Root]
		if h == nil {
			h = &home{at: layout[i], was: i}
			homes[*o.Root] = h
			order = append(order, *o.Root)
		}
		h.mixed = h.mixed || h.at != layout[i] || o.Kind == Rest
		h.moves = h.moves || p.now[i] != layout[i]
	}
	for _, root := range order {
		h := homes[root]
		if h.mixed || !h.moves || spaces[h.at] == "" || spaces[h.at] == p.objects[h.was].future {
			continue
		}
		steps = append(steps, Step{
			Object: root.String(), Do: "new partitions will be created there", Lock: "ACCESS EXCLUSIVE, for an instant",
			SQL: fmt.Sprintf("ALTER TABLE %s SET TABLESPACE %s;", root.SQL(), ident(spaces[h.at])),
		})
		if was := p.objects[h.was].future; was != "" {
			undo = append(undo, fmt.Sprintf("ALTER TABLE %s SET TABLESPACE %s;", root.SQL(), ident(was)))
		}
	}
	return steps, undo
}

// Consequences lists the effects of tablespaces on several disks on backup and restore.
// https://www.postgresql.org/docs/current/manage-ag-tablespaces.html
var Consequences = []string{
	"A tablespace is a part of the cluster, not a unit of its own: if one is lost, the server may not start, and the whole cluster has to be restored from a backup.",
	"The cluster is as durable as the least durable of its disks: data on a local disk of a cloud instance is lost when the instance stops, wherever the rest is.",
	"Snapshots of several volumes are not of the same instant: a backup needs pg_basebackup, or pg_backup_start and pg_backup_stop around the snapshots.",
	"pg_basebackup writes each tablespace to the path that it has on the server, unless --tablespace-mapping or the tar format is used; a restore and each standby need these paths, with enough space.",
	"A move writes the whole relation to the WAL: archives, slots and standbys receive as many bytes as it has.",
}
