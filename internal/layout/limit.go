package layout

import (
	"fmt"
	"slices"

	"plinth/internal/placement"
	"plinth/internal/unit"
)

// Limit names the first limit that the layout reaches: by load, and by space.
type Limit struct {
	// Where and What name the limit that the load uses most of; Factor is by what factor the load can
	// grow until the share of it is used that may be. "" and 0 without a limit.
	Where  string  `json:"where,omitempty"`
	What   string  `json:"what,omitempty"`
	Factor float64 `json:"factor,omitempty"`
	// Full is the disk that is full first, after so many Months; "" if nothing grows.
	Full   string  `json:"full_first,omitempty"`
	Months float64 `json:"full_in_months,omitempty"`
}

func (l Layout) limit() (first Limit) {
	most := 0.0
	use := func(where, what string, used float64) {
		if used > most {
			most = used
			first.Where, first.What, first.Factor = where, what, 1/used
		}
	}
	for _, d := range l.Disks {
		use(d.Name, "IOPS", d.Use.IOPS/float64(placement.ShareOfRate))
		use(d.Name, "throughput", d.Use.Throughput/float64(placement.ShareOfRate))
		use(d.Name, "queue", d.Use.Queue/float64(placement.ShareOfRate))
		if d.Full >= 0 && (first.Full == "" || d.Full < first.Months) {
			first.Full, first.Months = d.Name, d.Full
		}
	}
	if l.Instance != nil {
		iops, throughput := l.Instance.share()
		use(l.Instance.Name, "IOPS for all EBS volumes", iops)
		use(l.Instance.Name, "throughput for all EBS volumes", throughput)
	}
	return first
}

// Next is a layout for more, compared with this one.
type Next struct {
	For     string                `json:"for"` // "twice the load"
	Dollars placement.Dollars     `json:"price"`
	More    float64               `json:"more_usd_month"`
	Exceeds []placement.Violation `json:"exceeds,omitempty"`
	// Moves says which objects would be elsewhere.
	Moves []string `json:"moves,omitempty"`
}

// next finds the layouts for twice the load and for twice the time; and, if the input says where
// something may be, that without this bound.
func (f *finder) next(in Input, plan placement.Plan) []Next {
	longer, free := in.clone(), in.clone()
	longer.Months = 2 * f.in.Months
	bound := ""
	for name, o := range free.Other {
		if len(o.On) > 0 && !slices.Equal(o.On, []string{Local}) {
			o.On = nil
			free.Other[name] = o
			bound = "the same, if what shares the storage may be on any volume of gp3, st1 or sc1"
		}
	}
	var all []Next
	for _, one := range []struct {
		what string
		in   Input
	}{{"twice the load", in.loaded(2)}, {fmt.Sprintf("%s in place of %d", unit.Count(longer.Months, "month"), f.in.Months), longer}, {bound, free}} {
		if one.what == "" {
			continue
		}
		if n, found := f.another(one.in, plan); found && (one.what != bound || n.More < 0) {
			n.For = one.what
			all = append(all, n)
		}
	}
	return all
}

// another finds the layout for another input; false if that is beyond what plinth accepts.
func (f *finder) another(in Input, plan placement.Plan) (Next, bool) {
	g, err := newFinder(in, f.choice)
	if err != nil {
		return Next{}, false
	}
	other, err := g.plan(nil)
	if err != nil {
		return Next{}, false
	}
	n := Next{Dollars: other.After.Dollars, Exceeds: other.Violations, More: other.After.Dollars.USD - plan.After.Dollars.USD}
	for i, o := range other.Objects {
		if i < len(plan.Objects) && plan.Objects[i].Name == o.Name && plan.Objects[i].To != o.To {
			n.Moves = append(n.Moves, fmt.Sprintf("%s to %s", f.in.shown(o.Object), o.To))
		}
	}
	return n, true
}
