package price

import (
	"cmp"
	"slices"
	"time"
)

// OldSources returns the sources of a region's prices that are older than a year, the oldest first. The
// date of a book is that of its newest prices; a region can have older ones. A source without a day is
// not among them.
func (b *Book) OldSources(r *Region, now time.Time) []Source {
	names := map[string]bool{r.Surplus.Source: true, r.Instances.Source: true}
	add := func(volumes map[string]Volume) {
		for _, v := range volumes {
			names[v.Source] = true
		}
	}
	add(r.Volumes)
	for _, t := range r.Terms {
		names[t.Source] = true
	}
	for _, d := range r.Databases {
		names[d.Source] = true
		add(d.Volumes)
	}
	var old []Source
	for name := range names {
		day, err := time.Parse(time.DateOnly, b.source(name).Date)
		if err == nil && now.Sub(day) > mostAge {
			old = append(old, b.source(name))
		}
	}
	slices.SortFunc(old, func(x, y Source) int { return cmp.Or(cmp.Compare(x.Date, y.Date), cmp.Compare(x.Title, y.Title)) })
	return old
}
