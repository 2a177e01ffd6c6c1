package relation

import (
	"cmp"
	"container/heap"
	"slices"
)

// keeper receives relations one by one. It keeps the most active and the largest, and sums all.
type keeper struct {
	active, large ranking
	groups        map[groupKey]*Group
}

type groupKey struct {
	name       Name
	indexes    bool
	tablespace string
}

func newKeeper(most int) *keeper {
	half := max(1, most/2)
	return &keeper{
		active: ranking{most: half, rank: func(r Relation) int64 { return r.Misses() + r.Changes() + r.Requests()/16 }},
		large:  ranking{most: max(1, most-half), rank: func(r Relation) int64 { return r.Size }},
		groups: map[groupKey]*Group{},
	}
}

// add receives one relation. A relation that is not among the most active may be among the largest.
func (k *keeper) add(r Relation) {
	g := k.groups[keyOf(r)]
	if g == nil {
		key := keyOf(r)
		g = &Group{Name: key.name, Indexes: key.indexes, Tablespace: key.tablespace, System: r.Schema == "pg_catalog" || r.Schema == "information_schema"}
		k.groups[key] = g
	}
	g.Members++
	g.Size += r.Size
	g.Rows += max(0, r.Rows)
	g.add(r.Counters)
	if g.System {
		return
	}
	if out, is := k.active.offer(r); is {
		k.large.offer(out)
	}
}

// keyOf returns the group of a relation: that of its partitioned table, or of its schema.
func keyOf(r Relation) groupKey {
	if r.Root != nil {
		return groupKey{*r.Root, r.Kind == Index, r.Tablespace}
	}
	return groupKey{Name{Schema: r.Schema}, r.Kind == Index, r.Tablespace}
}

func (g *Group) key() groupKey { return groupKey{g.Name, g.Indexes, g.Tablespace} }

// result returns the relations that were kept and the groups, both in order of their names.
func (k *keeper) result() ([]Relation, []Group) {
	relations := slices.Concat(k.active.kept, k.large.kept)
	slices.SortFunc(relations, func(a, b Relation) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name.Name, b.Name.Name), cmp.Compare(a.OID, b.OID))
	})
	for _, r := range relations {
		k.groups[keyOf(r)].Kept++
	}
	groups := make([]Group, 0, len(k.groups))
	for _, g := range k.groups {
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Name.Schema, b.Name.Schema), cmp.Compare(a.Name.Name, b.Name.Name), boolean(a.Indexes)-boolean(b.Indexes), cmp.Compare(a.Tablespace, b.Tablespace))
	})
	return relations, groups
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ranking keeps the relations of the highest rank; of equal ones, those of the lowest OID. The
// lowest is the first of the heap.
type ranking struct {
	most int
	rank func(Relation) int64
	kept []Relation
}

// offer takes a relation, and returns the one for which there is no room, if any.
func (k *ranking) offer(r Relation) (out Relation, is bool) {
	if len(k.kept) < k.most {
		heap.Push(k, r)
		return Relation{}, false
	}
	if k.below(r, k.kept[0]) {
		return r, true
	}
	out, k.kept[0] = k.kept[0], r
	heap.Fix(k, 0)
	return out, true
}

func (k *ranking) below(a, b Relation) bool {
	if x, y := k.rank(a), k.rank(b); x != y {
		return x < y
	}
	return a.OID > b.OID
}

func (k *ranking) Len() int           { return len(k.kept) }
func (k *ranking) Less(i, j int) bool { return k.below(k.kept[i], k.kept[j]) }
func (k *ranking) Swap(i, j int)      { k.kept[i], k.kept[j] = k.kept[j], k.kept[i] }

// Push appends a Relation, for container/heap.
func (k *ranking) Push(x any) { k.kept = append(k.kept, x.(Relation)) }

// Pop removes the last one, for container/heap.
func (k *ranking) Pop() any {
	last := k.kept[len(k.kept)-1]
	k.kept = k.kept[:len(k.kept)-1]
	return last
}
