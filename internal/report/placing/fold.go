package placing

import (
	"fmt"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/placement"
)

// fewest is how many partitions of a kind are shown as one row.
const fewest = 4

// alike identifies partitions of one table, or their indexes, that are shown as one row.
type alike struct {
	root        relation.Name
	index       bool
	temperature placement.Temperature
	appendOnly  bool
	from, to    string
}

// fold returns the objects with partitions of the same table, temperature and stores as one: with
// their sums, and the reasons of the first.
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
		if !is || count[key] < fewest {
			folded = append(folded, o)
			continue
		}
		k, there := at[key]
		if !there {
			at[key] = len(folded)
			what := "partitions"
			if key.index {
				what = "indexes of partitions"
			}
			o.Name = fmt.Sprintf("%d %s of %s", count[key], what, name(key.root.String()))
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

func likeness(o placement.Placed) (alike, bool) {
	if o.Root == nil || o.Kind == placement.Rest {
		return alike{}, false
	}
	return alike{*o.Root, o.Kind == relation.Index, o.Temperature, o.AppendOnly, o.From, o.To}, true
}
