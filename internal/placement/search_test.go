package placement

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// instance draws a workload, stores, a goal and prices. Numbers are round, so that layouts are often
// equal, and limits are tight, so that many layouts exceed them.
func instance(t *rapid.T) *problem {
	n, m := rapid.IntRange(1, 7).Draw(t, "objects"), rapid.IntRange(1, 4).Draw(t, "stores")
	var stores []Store
	for i := range m {
		d := constant(time.Duration(rapid.IntRange(1, 20).Draw(t, "read"))*100*time.Microsecond, time.Duration(rapid.IntRange(1, 20).Draw(t, "write"))*100*time.Microsecond)
		d.IOPS = device.Limit{Rate: float64(rapid.SampledFrom([]int{0, 1000, 3000}).Draw(t, "iops"))}
		s := Store{Name: fmt.Sprint("s", i), Device: d, Capacity: unit.Size(rapid.SampledFrom([]int{0, 100, 200}).Draw(t, "capacity"))}
		if i == 0 {
			s.Tablespaces, s.WAL = []string{"pg_default"}, true
		}
		stores = append(stores, s)
	}
	objects := []Object{{Name: WAL, Kind: WAL, Durable: Exactly(float64(rapid.IntRange(0, 10).Draw(t, "commits") * 100))}}
	for i := range n {
		o := Object{
			Name: fmt.Sprint("o", i), Kind: "table", Tablespace: "pg_default", Size: unit.Size(rapid.IntRange(0, 10).Draw(t, "size") * 10),
			Reads: float64(rapid.IntRange(0, 10).Draw(t, "reads") * 100), Writes: Exactly(float64(rapid.IntRange(0, 5).Draw(t, "writes") * 100)),
		}
		if rapid.IntRange(0, 9).Draw(t, "fixed") == 0 {
			o.Fixed = "fixed"
		}
		objects = append(objects, o)
	}
	rates := rapid.SliceOfN(rapid.IntRange(0, 5), m, m).Draw(t, "prices")
	price := func(s Store, size unit.Size) (float64, bool) {
		for i := range stores {
			if stores[i].Name == s.Name {
				return float64(rates[i]) * (1 + float64(size)), rates[i] != 5
			}
		}
		return 0, false
	}
	goal := Goal{
		Objective: rapid.SampledFrom([]Objective{LeastTime, LeastDollars}).Draw(t, "objective"),
		Budget:    float64(rapid.SampledFrom([]int{0, 200, 500}).Draw(t, "budget")),
		Target:    time.Duration(rapid.SampledFrom([]int{0, 500, 1500}).Draw(t, "target")) * time.Microsecond,
	}
	return newProblem(objects, stores, goal, price)
}

// TestMethodsAgree checks that enumeration and branch and bound find layouts of the same score, and
// that no layout is below the bound of a search that gave up.
func TestMethodsAgree(t *testing.T) {
	equal, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := instance(t)
		best, proved := p.enumerate(), p.searchFrom(mostBranches)
		if proved.method != Bounded {
			t.Fatalf("it gave up after %d of %v layouts", proved.tried, p.layouts())
		}
		if best.score.below(proved.score) || proved.score.below(best.score) {
			t.Fatalf("enumerated %v %v, bounded %v %v", best.layout, best.score, proved.layout, proved.score)
		}
		tried := p.searchFrom(0)
		if tried.score.below(best.score) || best.score.below(tried.bound) {
			t.Fatalf("searched %v, bound %v, the best is %v", tried.score, tried.bound, best.score)
		}
		if actual := 1 - best.score[1]/tried.score[1]; tried.score[0] == best.score[0] && tried.score[1] > 1e-9 && actual > gap(tried)+1e-9 {
			t.Fatalf("the search is %v above the best, and claims %v", actual, gap(tried))
		}
		all++
		if !best.score.below(tried.score) {
			equal++
		}
	})
	t.Logf("the search alone found the best in %d of %d", equal, all)
	if equal*10 < all*9 {
		t.Errorf("the search alone found the best in %d of %d, want 90%%", equal, all)
	}
}

// TestScoresAreExact checks that a search leaves the state as it was, and that what it keeps up to
// date is what a fresh computation gives.
func TestScoresAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := instance(t)
		best := p.searchFrom(1000)
		if fresh := p.of(best.layout).score(); fresh.below(best.score) || best.score.below(fresh) {
			t.Fatalf("the score is %v, and %v if computed again", best.score, fresh)
		}
		for i, at := range best.layout {
			if p.objects[i].Fixed != "" && at != p.now[i] {
				t.Fatalf("%s is fixed, and moves", p.objects[i].Name)
			}
		}
	})
}

// TestMoreIsNotWorse checks that a larger budget, a longer target and more capacity never give a
// worse layout.
func TestMoreIsNotWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := instance(t)
		was := p.solve().score
		q := newProblem(p.objects, p.stores, p.goal, p.price)
		switch rapid.IntRange(0, 2).Draw(t, "more") {
		case 0:
			q.goal.Budget *= 2
		case 1:
			q.goal.Target *= 2
		case 2:
			for i := range q.stores {
				q.stores[i].Capacity *= 2
			}
		}
		if now := q.solve().score; was.below(now) {
			t.Fatalf("%v became %v", was, now)
		}
	})
}

// TestPartIsABound checks that no figure of a part of a layout is above that of the whole.
func TestPartIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := instance(t)
		s := p.empty()
		last := s.score()
		for i, allowed := range p.allowed {
			s.put(i, rapid.SampledFrom(allowed).Draw(t, "store"))
			now := s.score()
			for k := range now {
				if now[k] < last[k]-1e-9*max(1, last[k]) {
					t.Fatalf("figure %d fell from %v to %v", k, last[k], now[k])
				}
			}
			last = now
		}
	})
}

// TestMany checks that thousands of objects are placed, within limits, and that what was not proved
// is said.
func TestMany(t *testing.T) {
	stores := []Store{
		{Name: "fast", Device: constant(100*time.Microsecond, 100*time.Microsecond), Capacity: 100_000},
		{Name: "slow", Device: constant(2*time.Millisecond, 2*time.Millisecond), Tablespaces: []string{"pg_default"}},
	}
	w := Workload{}
	for i := range 2000 {
		w.Objects = append(w.Objects, Object{
			Name: fmt.Sprint("t", i), Kind: "table", Tablespace: "pg_default", Size: unit.Size(50 + i*7919%100), Reads: float64(i * 6271 % 1000), Operation: 8192,
		})
	}
	plan, err := Find(w, stores, Goal{Objective: LeastTime}, nil)
	must(t, err)
	if len(plan.Violations) > 0 || plan.After.DeviceTime > 0.6*plan.Before.DeviceTime {
		t.Errorf("violations %v, device time %v was %v", plan.Violations, plan.After.DeviceTime, plan.Before.DeviceTime)
	}
	if plan.Search.Method != Searched || plan.Search.Gap <= 0 {
		t.Errorf("%+v", plan.Search)
	}
}

// TestImpossible checks that a goal that cannot be met gives the layout that exceeds limits least,
// and names the nearest goal that can.
func TestImpossible(t *testing.T) {
	stores := []Store{
		{Name: "fast", Device: constant(100*time.Microsecond, 100*time.Microsecond)},
		{Name: "slow", Device: constant(time.Millisecond, time.Millisecond), Tablespaces: []string{"pg_default"}},
	}
	w := Workload{Objects: []Object{
		{Name: "hot", Kind: "table", Tablespace: "pg_default", Size: 10, Reads: 900, Operation: 8192},
		{Name: "cold", Kind: "table", Tablespace: "pg_default", Size: 100, Reads: 100, Operation: 8192},
	}}
	price := func(s Store, size unit.Size) (float64, bool) {
		return map[string]float64{"fast": 10, "slow": 1}[s.Name] * float64(size), true
	}
	// All on slow costs $110; hot on fast $200, with a mean read of 0.9*0.1 + 0.1*1 = 0.19 ms.
	for name, test := range map[string]struct {
		goal             Goal
		hot, cold        string
		violation, where string
	}{
		"budget": {Goal{LeastTime, 50, 0}, "slow", "slow", "the budget: 220% of what is allowed", "the least budget that can be met is $110.00 a month"},
		"target": {Goal{LeastDollars, 0, 50 * time.Microsecond}, "fast", "fast", "the target for the mean read: 200% of what is allowed",
			"the layout of the least device time has a mean read of 100us and a durable write of 0s"},
		"met": {Goal{LeastDollars, 0, 200 * time.Microsecond}, "fast", "slow", "", ""},
		"both": {Goal{LeastTime, 150, 200 * time.Microsecond}, "fast", "slow", "the budget: 133% of what is allowed",
			"the least budget that can be met is $200.00 a month"},
	} {
		plan, err := Find(w, stores, test.goal, price)
		must(t, err)
		violation := ""
		if len(plan.Violations) > 0 {
			violation = plan.Violations[0].String()
		}
		if plan.Objects[0].To != test.hot || plan.Objects[1].To != test.cold || violation != test.violation || plan.Nearest != test.where {
			t.Errorf("%s: %s, %s, %q, %q", name, plan.Objects[0].To, plan.Objects[1].To, violation, plan.Nearest)
		}
	}
	stores[0].Capacity, stores[1].Capacity = 20, 20
	plan, err := Find(w, stores, Goal{Objective: LeastTime}, nil)
	must(t, err)
	if len(plan.Violations) == 0 || plan.Nearest != nothingFits {
		t.Errorf("%v, %q", plan.Violations, plan.Nearest)
	}
}

// TestUnknownPrice checks that a store of unknown price is not taken for free.
func TestUnknownPrice(t *testing.T) {
	stores := []Store{{Name: "known", Device: constant(1e6, 1e6)}, {Name: "unknown", Device: constant(1e5, 1e5)}}
	price := func(s Store, _ unit.Size) (float64, bool) { return 7, s.Name == "known" }
	w := Workload{Objects: []Object{{Name: "t", Kind: "table", Size: 10, Reads: 1}}}
	for _, goal := range []Goal{{Objective: LeastDollars}, {Objective: LeastTime, Budget: 10}} {
		plan, err := Find(w, stores, goal, price)
		must(t, err)
		if plan.Objects[0].To != "known" || plan.After.Dollars != (Dollars{7, true}) {
			t.Errorf("%+v: %+v", goal, plan.After)
		}
	}
	plan, err := Find(w, stores, Goal{Objective: LeastTime}, price)
	must(t, err)
	if plan.Objects[0].To != "unknown" || plan.After.Dollars.Known {
		t.Errorf("without a budget: %+v", plan.After)
	}
}
