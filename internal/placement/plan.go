package placement

import (
	"fmt"
	"time"

	"plinth/internal/unit"
)

// Plan is a layout, what it costs and what it takes to reach it.
type Plan struct {
	Goal    Goal     `json:"goal"`
	Objects []Placed `json:"objects"` // in the order of the workload
	Stores  []Load   `json:"stores"`
	// Before is nil if it is not known where each object is now.
	Before *Totals `json:"before,omitempty"`
	After  Totals  `json:"after"`
	// Exceeded are the limits that the present layout exceeds.
	Exceeded []Violation `json:"exceeded_before,omitempty"`
	// Violations are limits that the layout exceeds: it is then the layout that exceeds them least.
	// Nearest says which goal can be met.
	Violations []Violation `json:"violations,omitempty"`
	Nearest    string      `json:"nearest,omitempty"`
	Search     Search      `json:"search"`
	Steps      []Step      `json:"steps"` // in order
	Undo       []string    `json:"undo"`  // SQL, in order
	Notes      []string    `json:"notes"`
}

// Search says how the layout was found.
type Search struct {
	Method  string  `json:"method"`
	Layouts float64 `json:"layouts"` // possible ones; 1e300 for more
	Tried   int     `json:"tried"`
	// Gap is by how much, in proportion, the best layout could be better in the objective; 0 if it
	// is known to be the best.
	Gap float64 `json:"gap"`
}

// Placed is an object, its store before ("" if unknown) and after, and its device time there.
type Placed struct {
	Object
	From   string  `json:"from"`
	To     string  `json:"to"`
	Before float64 `json:"device_time_before_s"` // a second; 0 if From is unknown
	After  float64 `json:"device_time_after_s"`
}

// Moves reports whether the object changes its store.
func (p Placed) Moves() bool { return p.From != p.To && p.Fixed == "" }

// Load is a store with the demand on it before and after, and how much of its limits that is.
type Load struct {
	Store  Store   `json:"store"`
	Before *Demand `json:"before,omitempty"`
	After  Demand  `json:"after"`
	Use    Use     `json:"use"`
	// Margin is by what factor the load can grow until a limit's share is reached; -1 without a
	// limit or a load.
	Margin  float64 `json:"margin"`
	Dollars Dollars `json:"price"`
	// Full is the time until the share of the capacity is reached at the present growth; 0 if
	// unknown.
	Full time.Duration `json:"full_in_ns,omitempty"`
}

// Dollars is a price per month, if it is known.
type Dollars struct {
	USD   float64 `json:"usd_month"`
	Known bool    `json:"known"`
}

// Totals are the figures of a layout.
type Totals struct {
	DeviceTime float64 `json:"device_time_s"` // seconds a second
	Dollars    Dollars `json:"price"`
	// Read is the mean latency of a read of a relation, Commit that of a durable write of the WAL.
	Read   time.Duration `json:"mean_read_ns"`
	Commit time.Duration `json:"durable_write_ns"`
}

// Violation is a limit that a layout exceeds.
type Violation struct {
	Where string  `json:"where"` // a store; "" for the goal
	What  string  `json:"what"`  // "IOPS", "the budget", ...
	Used  float64 `json:"used"`  // of the limit: 1.2 is 20% more than the limit, or its share, allows
}

// String returns a sentence without its period.
func (v Violation) String() string {
	where := ""
	if v.Where != "" {
		where = " of " + v.Where
	}
	if v.Used == 0 {
		return v.What + where
	}
	return fmt.Sprintf("%s%s: %.0f%% of what is allowed", v.What, where, 100*v.Used)
}

// Find returns the best layout for a goal. If none can meet it, the plan has the layout that exceeds
// limits least. price may be nil if the goal does not need it.
func Find(w Workload, stores []Store, goal Goal, price Price) (Plan, error) {
	if err := checkStores(stores); err != nil {
		return Plan{}, err
	}
	if err := goal.check(price); err != nil {
		return Plan{}, err
	}
	p := newProblem(w.Objects, stores, goal, price)
	for i, allowed := range p.allowed {
		if len(allowed) == 0 {
			return Plan{}, fmt.Errorf("no store accepts %s", w.Objects[i].Name)
		}
	}
	best := p.solve()
	plan := p.plan(best, w)
	if len(plan.Violations) > 0 {
		plan.Nearest = p.nearest()
	}
	return plan, nil
}

func (p *problem) plan(best found, w Workload) Plan {
	after := p.of(best.layout)
	plan := Plan{
		Goal: p.goal, After: after.totals(), Violations: after.violations(), Notes: w.Notes,
		Search: Search{Method: best.method, Layouts: min(p.layouts(), 1e300), Tried: best.tried, Gap: gap(best)},
	}
	var now *state
	if p.known() {
		now = p.of(p.now)
		totals := now.totals()
		plan.Before, plan.Exceeded = &totals, now.violations()
	}
	for i, o := range p.objects {
		one := Placed{Object: o, To: p.stores[best.layout[i]].Name, After: p.demands[i][best.layout[i]].DeviceTime}
		if at := p.now[i]; at >= 0 {
			one.From, one.Before = p.stores[at].Name, p.demands[i][at].DeviceTime
		}
		plan.Objects = append(plan.Objects, one)
	}
	for s := range p.stores {
		plan.Stores = append(plan.Stores, p.load(s, now, after))
	}
	plan.Steps, plan.Undo = p.steps(best.layout)
	return plan
}

// known reports whether it is known where each object is now.
func (p *problem) known() bool {
	for _, at := range p.now {
		if at < 0 {
			return false
		}
	}
	return true
}

// gap returns by how much of its own the violation or the objective of a layout may be above that of
// the best one.
func gap(f found) float64 {
	for i, one := range f.score[:2] {
		if bound := f.bound[i]; one > bound*(1+1e-9) {
			return 1 - bound/one
		}
	}
	return 0
}

// nothingFits stands in place of the nearest goal if there is none.
const nothingFits = "these stores cannot hold this load at any price: add a store, or choose a larger or faster one"

// nearest returns the goal nearest to one that cannot be met: the least budget, or the shortest
// latency, of a layout that exceeds no limit of a store.
func (p *problem) nearest() string {
	loose := Goal{Objective: LeastTime}
	if p.price != nil && p.goal.Budget > 0 {
		loose = Goal{Objective: LeastDollars, Target: p.goal.Target}
	}
	q := newProblem(p.objects, p.stores, loose, p.price)
	s := q.of(q.solve().layout)
	if len(s.violations()) > 0 {
		return nothingFits
	}
	t := s.totals()
	if loose.Objective == LeastDollars {
		return fmt.Sprintf("the least budget that can be met is $%.2f a month", t.Dollars.USD)
	}
	return fmt.Sprintf("the layout of the least device time has a mean read of %s and a durable write of %s",
		unit.Duration(t.Read.Round(time.Microsecond)), unit.Duration(t.Commit.Round(time.Microsecond)))
}
