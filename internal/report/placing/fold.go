package placing

import (
	"fmt"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/placement"
)

// fewest is how many partitions of a kind are shown as one row.
const fewest = 4

// alike identifies partitions of one table, or their indexes, that are shown as one row, and the
// parts of the server's catalog.
type alike struct {
	root        relation.Name
	index       bool
	system      bool
	temperature placement.Temperature
	appendOnly  bool
	from, to    string
}

// fold returns the objects with those that are alike as one: with their sums, and the reasons of the
// first.
func fold(all []placement.Placed) []placement.Placed {
	count := map[alike]int{}
	for _, o := range all {
		if key, is := likeness(o); is {
			count[key]++
		}
	}
	at := map[alike]int{}
	var folded []placement.Placed
	for _, o := range all {
		key, is := likeness(o)
		if !is || count[key] < fewest && !key.system {
			folded = append(folded, o)
			continue
		}
		k, there := at[key]
		if !there {
			at[key] = len(folded)
			o.Name = key.words(count[key])
			folded = append(folded, o)
			continue
		}
		sum := &folded[k]
		sum.Size += o.Size
		sum.Queried += o.Queried
		sum.Changed += o.Changed
		sum.Reads += o.Reads
		sum.Writes.Low += o.Writes.Low
		sum.Writes.Likely += o.Writes.Likely
		sum.Writes.High += o.Writes.High
		sum.Before += o.Before
		sum.After += o.After
	}
	return folded
}

// words returns the name of a row of n objects.
func (a alike) words(n int) string {
	switch {
	case a.system:
		return "system catalog"
	case a.index:
		return fmt.Sprintf("%d indexes of partitions of %s", n, name(a.root.String()))
	}
	return fmt.Sprintf("%d partitions of %s", n, name(a.root.String()))
}

func likeness(o placement.Placed) (alike, bool) {
	switch {
	case o.Kind == placement.System:
		return alike{system: true, from: o.From, to: o.To}, true
	case o.Root == nil || o.Kind == placement.Rest:
		return alike{}, false
	}
	return alike{*o.Root, o.Kind == relation.Index, false, o.Temperature, o.AppendOnly, o.From, o.To}, true
}
