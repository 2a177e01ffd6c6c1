package imported

import (
	"cmp"
	"slices"

	"plinth/internal/capture"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// arrange orders the runs, numbers them, and says what is known about their order.
func (c *collection) arrange(environments []string) record.Order {
	environments = slices.DeleteFunc(slices.Clone(environments), func(name string) bool {
		return !slices.ContainsFunc(c.runs, func(r *Run) bool { return r.Environment == name })
	})
	known := !slices.ContainsFunc(c.runs, func(r *Run) bool { return r.Began.Clock != capture.UTC })
	if known {
		slices.SortStableFunc(c.runs, func(a, b *Run) int { return a.Began.Time.Compare(b.Began.Time) })
	}
	type place struct {
		environment string
		cell        experiment.Cell
	}
	repeats := map[place]int{}
	for _, r := range c.runs {
		p := place{r.Environment, r.ID.Cell}
		repeats[p]++
		r.ID.Repeat, r.ID.Attempt, r.Position = repeats[p], 1, slices.Index(environments, r.Environment)+1
		if r.Rate > 0 {
			r.Result.Loop = "open"
		}
		r.Result.Loop = cmp.Or(r.Result.Loop, "closed")
	}
	switch {
	case !known, len(environments) < 2, c.doubtful:
		return record.OrderUnknown
	case c.alternate(environments):
		return record.OrderAlternate
	case apart(c.runs):
		return record.OrderApart
	}
	return record.OrderMixed
}

// alternate reports whether the runs of each cell, in order of time, can be divided into blocks with one
// run of each environment. If so, it sets the positions in the blocks.
func (c *collection) alternate(environments []string) bool {
	positions := map[*Run]int{}
	cells := map[experiment.Cell][]*Run{}
	for _, r := range c.runs {
		cells[r.ID.Cell] = append(cells[r.ID.Cell], r)
	}
	for _, runs := range cells {
		if len(runs) < 2*len(environments) || len(runs)%len(environments) != 0 {
			return false // a single block shows no alternation
		}
		for block := range slices.Chunk(runs, len(environments)) {
			seen := map[string]bool{}
			for i, r := range block {
				seen[r.Environment], positions[r] = true, i+1
			}
			if len(seen) < len(environments) {
				return false
			}
		}
	}
	for r, position := range positions {
		r.Position = position
	}
	return true
}

// apart reports whether the runs, in order of time, are all of one environment, then all of another.
func apart(runs []*Run) bool {
	var seen []string
	for _, r := range runs {
		if slices.Contains(seen, r.Environment) && seen[len(seen)-1] != r.Environment {
			return false
		}
		seen = once(seen, r.Environment)
	}
	return true
}

// fixedOrder reports whether each block has its environments in the same order: then a steady trend of the
// machine is part of each difference.
func (c *collection) fixedOrder() bool {
	at := map[string]int{}
	for _, r := range c.runs {
		if before, seen := at[r.Environment]; seen && before != r.Position {
			return false
		}
		at[r.Environment] = r.Position
	}
	return true
}

// unlike points out runs of one cell that differ in what is not part of a cell. Then they are not repeats of
// the same load, and no verdict is possible.
func (c *collection) unlike() {
	first := map[experiment.Cell]*Run{}
	for _, r := range c.runs {
		other := first[r.ID.Cell]
		if other == nil {
			first[r.ID.Cell] = r
			continue
		}
		for _, option := range []string{"scaling factor", "query mode", "partitions", "maximum number of tries"} {
			if a, b := other.Options[option], r.Options[option]; a != "" && b != "" && a != b {
				c.doubtful = true
				c.note(capture.Contradiction, r.File, "its %s is %s, and that of %s is %s: they are not runs of the same load", option, b, other.File, a)
			}
		}
		if r.Reconnect != other.Reconnect || max(1, r.Pipeline) != max(1, other.Pipeline) {
			c.doubtful = true
			c.note(capture.Contradiction, r.File, "it connects or sends requests in another way than %s: they are not runs of the same load", other.File)
		}
	}
}
