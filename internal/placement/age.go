package placement

import (
	"fmt"
	"slices"
	"time"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// Aged says how old the rows of a table are by one of its columns, as estimated from what ANALYZE sampled.
type Aged struct {
	Table  relation.Name `json:"table"`
	Column string        `json:"column"`
	Older  []Older       `json:"older,omitempty"` // from the shortest age to the longest
	// LastUse is when the table was last scanned; nil if unknown (before 16), or if it is partitioned.
	LastUse *time.Time `json:"last_use,omitempty"`
	Parts   []AgedPart `json:"partitions,omitempty"`
	// Old is the longest age that most rows of a table without partitions exceed; nil if there is none.
	Old    *Older   `json:"mostly_older,omitempty"`
	Saving *Saving  `json:"saving,omitempty"`
	Notes  []string `json:"notes"`
}

// Older is the part of a table that is older than an age.
type Older struct {
	Than  string    `json:"than"`
	Share float64   `json:"share_of_rows"`
	Rows  float64   `json:"rows"`
	Size  unit.Size `json:"estimated_size"` // with rows of equal size, without indexes
}

// AgedPart is a partition.
type AgedPart struct {
	Name        relation.Name `json:"name"`
	Bound       string        `json:"bound"`
	Size        unit.Size     `json:"size"`
	Shares      []float64     `json:"shares_older,omitempty"` // as Aged.Older; nil if unknown
	Temperature Temperature   `json:"temperature,omitempty"`
	LastUse     *time.Time    `json:"last_use,omitempty"`
}

// Saving is the money that the old part of a table would save on another store.
type Saving struct {
	Store string  `json:"store"`
	USD   float64 `json:"usd_month"`
}

// month is that of the price books: 730 hours.
const month = 730 * time.Hour

// spans are the ages that are distinguished.
var spans = []struct {
	name   string
	length time.Duration
}{{"1 month", month}, {"3 months", 3 * month}, {"1 year", 12 * month}}

// Most of the rows: from this share on, a table is mostly old.
const mostly = unit.Share(0.5)

// Ages returns the ages of rows by columns that were asked for when the statistics were read.
func Ages(r relation.Rates, w Workload, columns []relation.Column) ([]Aged, error) {
	var all []Aged
	for _, c := range columns {
		i := slices.IndexFunc(r.Reading.Ages, func(a relation.Age) bool { return a.Of(c) })
		if i < 0 {
			return nil, hint.Errorf("read them from the server, with --age", "the statistics have no ages by %s", c)
		}
		all = append(all, agesOf(r, w, r.Reading.Ages[i]))
	}
	return all, nil
}

func agesOf(r relation.Rates, w Workload, age relation.Age) Aged {
	a := Aged{Table: age.Table, Column: age.Column}
	limits, note := limitsOf(r, age)
	a.Notes = append(a.Notes, note...)
	for i := range limits {
		a.Older = append(a.Older, Older{Than: spans[i].name})
	}
	rows := 0.0
	var blind []string
	for _, p := range age.Parts {
		part := AgedPart{Name: p.Name, Bound: p.Bound, Size: unit.Size(p.Size), Temperature: temperatureOf(w, p.Name), LastUse: lastUse(r, p.Name)}
		switch {
		case p.Known:
			rows += max(0, p.Rows)
			for i, limit := range limits {
				share := p.Below(limit)
				part.Shares = append(part.Shares, share)
				a.Older[i].Rows += share * max(0, p.Rows)
				a.Older[i].Size += unit.Size(share * float64(p.Size))
			}
		case p.Size > 0:
			blind = append(blind, p.SQL())
		}
		if age.Partitioned {
			a.Parts = append(a.Parts, part)
		} else {
			a.LastUse = part.LastUse
		}
	}
	for i := range a.Older {
		if rows > 0 {
			a.Older[i].Share = a.Older[i].Rows / rows
		}
	}
	a.Notes = append(a.Notes, notesOn(age, blind)...)
	if rows == 0 {
		a.Older = nil
	}
	for i := range a.Older {
		if !age.Partitioned && a.Older[i].Share >= float64(mostly) {
			a.Old = &a.Older[i]
		}
	}
	return a
}

// limitsOf returns the value that is as old as each of the spans. Numbers grow by one with each row that is inserted.
func limitsOf(r relation.Rates, age relation.Age) (limits []float64, notes []string) {
	now, perSecond := age.Now, 1.0
	if age.Numbers {
		now, perSecond = newest(age), inserted(r, age)
		if perSecond <= 0 {
			return nil, []string{"no rows were inserted while the statistics counted, so that its numbers have no age"}
		}
		notes = []string{fmt.Sprintf("ages follow from %s rows inserted a second, with one number a row", unit.Digits(perSecond, 4))}
	}
	for _, s := range spans {
		limits = append(limits, now-perSecond*s.length.Seconds())
	}
	return limits, notes
}

// newest returns the highest value that the statistics have.
func newest(age relation.Age) float64 {
	highest, found := 0.0, false
	for _, p := range age.Parts {
		if last, known := p.Last(); known && (!found || last > highest) {
			highest, found = last, true
		}
	}
	return highest
}

// inserted returns the rows inserted a second into a table, all its partitions together.
func inserted(r relation.Rates, age relation.Age) float64 {
	of := func(name relation.Name, root *relation.Name) bool {
		return name == age.Table || age.Partitioned && root != nil && *root == age.Table
	}
	sum := 0.0
	for _, one := range r.Relations {
		if one.Kind != relation.Index && of(one.Name, one.Root) {
			sum += one.Inserted
		}
	}
	for _, one := range r.Rest {
		if !one.Indexes && of(one.Name, nil) {
			sum += one.Inserted
		}
	}
	return sum
}

func temperatureOf(w Workload, name relation.Name) Temperature {
	for _, o := range w.Objects {
		if o.Relation == name {
			return o.Temperature
		}
	}
	return ""
}

// lastUse returns when a relation was last scanned, in whatever way; nil if unknown.
func lastUse(r relation.Rates, name relation.Name) *time.Time {
	for _, one := range r.Relations {
		if one.Name == name {
			return latest(one.LastSeqScan, one.LastIndexScan)
		}
	}
	return nil
}

func latest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

func notesOn(age relation.Age, blind []string) []string {
	var notes []string
	if len(blind) > 0 {
		notes = append(notes, fmt.Sprintf("there are no statistics of the column in %s, or the role may not see them: plinth does not run ANALYZE %s",
			unit.Count(len(blind), map[bool]string{false: "table", true: "partition"}[age.Partitioned]), blind[0]))
	}
	if age.Left > 0 {
		notes = append(notes, fmt.Sprintf("the largest %s were read, %d more were not", unit.Count(len(age.Parts), "partition"), age.Left))
	}
	return append(notes, "rows and bytes are estimated from what ANALYZE sampled, with rows of equal size, without indexes",
		"the server does not count reads by row: an old row may be read often")
}

// Save finds the store of a plan on which the old part of the table would save most. Stores are paid by size; those
// whose price does not depend on it save nothing.
func (a *Aged) Save(plan Plan, price Price) {
	at := slices.IndexFunc(plan.Objects, func(o Placed) bool { return o.Relation == a.Table })
	if a.Old == nil || at < 0 || price == nil {
		return
	}
	for _, home := range plan.Stores {
		if home.Store.Name != plan.Objects[at].To {
			continue
		}
		now, known := difference(price, home, -a.Old.Size)
		for _, l := range plan.Stores {
			then, too := difference(price, l, a.Old.Size)
			better := known && too && l.Store.Name != home.Store.Name && !slices.Contains(l.Store.Refuses, relation.Table)
			if saved := -now - then; better && saved > 0.005 && (a.Saving == nil || saved > a.Saving.USD) {
				a.Saving = &Saving{Store: l.Store.Name, USD: saved}
			}
		}
	}
}

// difference returns by how much the price of a store changes if it holds more, or less, and is as large as its data
// needs.
func difference(price Price, l Load, more unit.Size) (usd float64, known bool) {
	l.Store.Capacity = 0
	known = true
	for size, sign := range map[unit.Size]float64{l.After.Size: -1, l.After.Size + more: 1} {
		if size > 0 { // what is not used is not paid
			one, is := price(l.Store, size)
			usd, known = usd+sign*one, known && is
		}
	}
	return usd, known
}
