package placement

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

var tableT = relation.Name{Schema: "public", Name: "t"}

// twoYears is a table of 1,000 bytes with 100 rows, evenly distributed over 24 months.
func twoYears() relation.Age {
	const now = 1e9
	return relation.Age{Table: tableT, Column: "at", Now: now, Parts: []relation.AgePart{
		{Name: tableT, Size: 1000, Rows: 100, Known: true, Bounds: []float64{now - 24*month.Seconds(), now}},
	}}
}

func aged(t *testing.T, age relation.Age, change func(*relation.Rates)) Aged {
	t.Helper()
	r := rates(func(r *relation.Rates) { r.Reading.Ages = []relation.Age{age}; change(r) })
	all, err := Ages(r, FromRates(r), []relation.Column{{Table: age.Table.Name, Column: age.Column}})
	must(t, err)
	return all[0]
}

func noChange(*relation.Rates) {}

func TestAgesByHand(t *testing.T) {
	a := aged(t, twoYears(), noChange)
	want := []Older{{"1 month", 23.0 / 24, 100 * 23.0 / 24, 958}, {"3 months", 0.875, 87.5, 875}, {"1 year", 0.5, 50, 500}}
	for i, o := range a.Older {
		if o.Than != want[i].Than || !near(o.Share, want[i].Share) || !near(o.Rows, want[i].Rows) || o.Size != want[i].Size {
			t.Errorf("got %+v, want %+v", o, want[i])
		}
	}
	if len(a.Older) != 3 || a.Old == nil || a.Old.Than != "1 year" || a.Parts != nil || a.LastUse != nil {
		t.Errorf("%+v", a)
	}
	young := twoYears()
	young.Parts[0].Bounds[0] = young.Now - 6*month.Seconds() // half of it older than 3 months
	if a := aged(t, young, noChange); a.Old == nil || a.Old.Than != "3 months" || a.Older[2].Share != 0 {
		t.Errorf("%+v", a)
	}
	young.Parts[0].Bounds[0] = young.Now - 1.5*month.Seconds()
	if a := aged(t, young, noChange); a.Old != nil {
		t.Errorf("a third of it is older than a month: %+v", a)
	}
}

// TestAgesOfNumbers: 1,000 numbers, of which 262.8 are given a month.
func TestAgesOfNumbers(t *testing.T) {
	age := twoYears()
	age.Numbers, age.Parts[0].Bounds = true, []float64{0, 1000}
	busy := func(r *relation.Rates) {
		one := relation.RelationRate{Relation: relation.Relation{Name: tableT, Kind: relation.Table, Size: 1000}}
		one.Inserted = 1e-4
		r.Relations = append(r.Relations, one)
	}
	a := aged(t, age, busy)
	if !near(a.Older[0].Share, 0.7372) || !near(a.Older[1].Share, 0.2116) || a.Older[2].Share != 0 || !strings.Contains(a.Notes[0], "0.0001 rows inserted a second") {
		t.Errorf("%+v", a)
	}
	if a := aged(t, age, noChange); a.Older != nil || !strings.Contains(a.Notes[0], "no rows were inserted") {
		t.Errorf("without inserts: %+v", a)
	}
}

// TestAgesOfPartitions checks that each partition has its own shares, temperature and last use, that one without
// statistics is left out of the sum and named, and that a partitioned table is not to be partitioned.
func TestAgesOfPartitions(t *testing.T) {
	age := twoYears()
	leaf := func(name string) relation.Name { return relation.Name{Schema: "public", Name: name} }
	age.Partitioned, age.Left = true, 7
	old, young, blind := age.Parts[0], age.Parts[0], relation.AgePart{Name: leaf("blind"), Size: 8192, Rows: -1}
	old.Name, old.Bound, old.Bounds = leaf("old"), "FOR VALUES FROM (1) TO (2)", []float64{age.Now - 48*month.Seconds(), age.Now - 24*month.Seconds()}
	young.Name, young.Bounds, young.Rows = leaf("young"), []float64{age.Now - 1000, age.Now}, 300
	age.Parts = []relation.AgePart{blind, old, young, {Name: leaf("empty"), Rows: -1}}
	yesterday := time.Date(2026, 4, 30, 12, 0, 0, 0, time.UTC)
	a := aged(t, age, func(r *relation.Rates) {
		one := relation.RelationRate{Relation: relation.Relation{Name: leaf("old"), Kind: relation.Partition, Root: &tableT, Size: 1000, LastSeqScan: &yesterday}}
		before := yesterday.Add(-time.Hour)
		one.LastIndexScan = &before
		r.Relations = append(r.Relations, one)
	})
	if a.Old != nil || len(a.Parts) != 4 || a.Older[2].Share != 0.25 || a.Older[2].Rows != 100 || a.Older[2].Size != 1000 {
		t.Errorf("%+v", a)
	}
	if p := a.Parts[1]; p.Temperature != Cold || p.LastUse == nil || !p.LastUse.Equal(yesterday) || !slices.Equal(p.Shares, []float64{1, 1, 1}) || p.Bound == "" {
		t.Errorf("%+v", p)
	}
	if p := a.Parts[0]; p.Shares != nil || p.Temperature != "" {
		t.Errorf("%+v", p)
	}
	if notes := strings.Join(a.Notes, "\n"); !strings.Contains(notes, `in 1 partition, or the role may not see them: plinth does not run ANALYZE "public"."blind"`) || !strings.Contains(notes, "the largest 4 partitions were read, 7 more were not") {
		t.Errorf("%s", notes)
	}
}

func TestAgesThatWereNotRead(t *testing.T) {
	r := rates(noChange)
	if _, err := Ages(r, FromRates(r), []relation.Column{{Table: "t", Column: "at"}}); err == nil || err.Error() != `the statistics have no ages by "t"."at"` {
		t.Errorf("%v", err)
	}
	blind := twoYears()
	blind.Parts[0] = relation.AgePart{Name: tableT, Size: 1000, Rows: 100}
	if a := aged(t, blind, noChange); a.Older != nil || a.Old != nil || !strings.Contains(a.Notes[0], "does not run ANALYZE") {
		t.Errorf("%+v", a)
	}
}

// TestSavingByHand: 500 of 1,000 bytes at $2 are old. On b they cost $1 each and $100 for the volume, which has
// nothing yet; c refuses tables; d is as dear as a.
func TestSavingByHand(t *testing.T) {
	plan := Plan{
		Objects: []Placed{{Object: Object{Relation: tableT}, To: "a"}},
		Stores: []Load{
			{Store: Store{Name: "a", Capacity: 5000}, After: Demand{Size: 1000}}, {Store: Store{Name: "b"}},
			{Store: Store{Name: "c", Refuses: []string{relation.Table}}}, {Store: Store{Name: "d"}},
		},
	}
	price := func(s Store, bytes unit.Size) (float64, bool) {
		if s.Capacity != 0 {
			t.Errorf("%s has a capacity", s.Name)
		}
		return map[string]float64{"a": 2, "b": 1, "c": 0, "d": 2}[s.Name]*float64(bytes) + map[string]float64{"b": 100}[s.Name], true
	}
	a := aged(t, twoYears(), noChange)
	a.Save(plan, price)
	if a.Saving == nil || *a.Saving != (Saving{"b", 400}) {
		t.Errorf("%+v", a.Saving)
	}
	a.Saving = nil
	a.Save(plan, func(Store, unit.Size) (float64, bool) { return 0, false })
	if a.Saving != nil {
		t.Errorf("without prices: %+v", a.Saving)
	}
	a.Save(plan, func(Store, unit.Size) (float64, bool) { return 50, true })
	if a.Saving != nil {
		t.Errorf("at a price that does not depend on the size: %+v", a.Saving)
	}
}
