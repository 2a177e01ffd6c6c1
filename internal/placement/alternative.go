package placement

import (
	"cmp"
	"slices"
)

// Alternative is a layout beside the one that a plan proposes.
type Alternative struct {
	Name string // "all-on-gp3", "swap-articles", "worst"
	Says string // what it is, in words
	// Layout is the store of each object, by the object's name.
	Layout map[string]string
}

// swapped is how many alternatives differ from the plan in one object.
const swapped = 2

// Alternatives returns layouts that a plan has to be better than: everything on each store, the plan
// with one object elsewhere, for the two objects that use the devices most, and the layout of the
// most device time. They may exceed limits that the plan keeps. Layouts that are equal to the plan
// or to one another are left out.
func Alternatives(w Workload, stores []Store, plan Plan) []Alternative {
	p := newProblem(w.Objects, stores, plan.Goal, nil)
	proposed := map[string]string{}
	for _, o := range plan.Objects {
		proposed[o.Name] = o.To
	}
	var all []Alternative
	add := func(name, says string, change func(i int) int) {
		layout := map[string]string{}
		for i, o := range p.objects {
			layout[o.Name] = proposed[o.Name]
			if to := change(i); to >= 0 && slices.Contains(p.allowed[i], to) {
				layout[o.Name] = stores[to].Name
			}
		}
		same := func(other map[string]string) bool { return p.alike(layout, other) }
		if !same(proposed) && !slices.ContainsFunc(all, func(a Alternative) bool { return same(a.Layout) }) {
			all = append(all, Alternative{name, says, layout})
		}
	}
	for s, store := range stores {
		add("all-on-"+store.Name, "everything on "+store.Name, func(int) int { return s })
	}
	for _, i := range p.busiest(plan) {
		to := p.elsewhere(i, proposed[p.objects[i].Name])
		add("swap-"+p.objects[i].Relation.Name, p.objects[i].Name+" on "+stores[to].Name, func(k int) int {
			if k == i {
				return to
			}
			return -1
		})
	}
	add("worst", "each object where it needs the most device time", p.worst)
	return all
}

// alike reports whether two layouts differ at most in objects without load.
func (p *problem) alike(a, b map[string]string) bool {
	for i, o := range p.objects {
		if a[o.Name] != b[o.Name] && p.demands[i][p.allowed[i][0]].DeviceTime > 0 {
			return false
		}
	}
	return true
}

// busiest returns the relations that need the most device time where the plan has them, of those
// that could be elsewhere.
func (p *problem) busiest(plan Plan) []int {
	var all []int
	for i, o := range p.objects {
		if o.waited() && o.Relation.Name != "" && len(p.allowed[i]) > 1 && plan.Objects[i].After > 0 {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(plan.Objects[b].After, plan.Objects[a].After) })
	return all[:min(len(all), swapped)]
}

// elsewhere returns the store, other than the one that an object is on, on which it needs the least
// device time.
func (p *problem) elsewhere(i int, from string) int {
	best := -1
	for _, s := range p.allowed[i] {
		if p.stores[s].Name != from && (best < 0 || p.demands[i][s].DeviceTime < p.demands[i][best].DeviceTime) {
			best = s
		}
	}
	return best
}

// worst returns the store on which an object needs the most device time.
func (p *problem) worst(i int) int {
	return slices.MaxFunc(p.allowed[i], func(a, b int) int { return cmp.Compare(p.demands[i][a].DeviceTime, p.demands[i][b].DeviceTime) })
}
