package placement

import (
	"slices"

	"plinth/internal/unit"
)

// problem is a workload, stores and a goal, prepared for the search. A layout is the index of a
// store for each object; -1 while the object is not placed.
type problem struct {
	objects []Object
	stores  []Store
	figures []figures
	goal    Goal
	price   Price

	demands [][]Demand              // by object and store
	allowed [][]int                 // the stores for each object
	now     []int                   // where each object is; -1 if unknown
	reads   float64                 // of all relations
	prices  []map[unit.Size]Dollars // by store, as far as they were asked for
	least   []float64               // the least device time of each object
}

func newProblem(objects []Object, stores []Store, goal Goal, price Price) *problem {
	p := &problem{objects: objects, stores: stores, goal: goal, price: price}
	for _, s := range stores {
		p.figures = append(p.figures, figuresOf(s.Device))
		p.prices = append(p.prices, map[unit.Size]Dollars{})
	}
	for i, o := range objects {
		demands, least := make([]Demand, len(stores)), 0.0
		for s := range stores {
			demands[s] = p.figures[s].demand(o)
		}
		p.demands = append(p.demands, demands)
		p.now = append(p.now, currentStore(o, stores))
		p.allowed = append(p.allowed, p.storesFor(i))
		for k, s := range p.allowed[i] {
			if k == 0 || demands[s].DeviceTime < least {
				least = demands[s].DeviceTime
			}
		}
		p.least = append(p.least, least)
		if o.waited() {
			p.reads += o.Reads
		}
	}
	return p
}

// waited reports whether the object's reads count for the latency that queries wait for.
func (o Object) waited() bool { return o.Kind != WAL && o.Kind != Temp && o.Kind != Other }

// currentStore returns the store that holds an object now; -1 if none is known to.
func currentStore(o Object, stores []Store) int {
	space := o.Tablespace
	if space == "pg_global" { // a directory beside that of pg_default
		space = "pg_default"
	}
	return slices.IndexFunc(stores, func(s Store) bool {
		if o.Kind == WAL {
			return s.WAL
		}
		return space != "" && slices.Contains(s.Tablespaces, space)
	})
}

// storesFor returns where an object may be: a fixed one where it is. A fixed object of which that
// is unknown may be anywhere.
func (p *problem) storesFor(i int) []int {
	o := p.objects[i]
	if o.Fixed != "" && p.now[i] >= 0 {
		return []int{p.now[i]}
	}
	var all []int
	for s, store := range p.stores {
		if !slices.Contains(store.Refuses, o.Kind) && (store.Accepts == nil || store.Accepts(o)) {
			all = append(all, s)
		}
	}
	return all
}

// state is a layout, possibly of some of the objects only, and what follows from it.
type state struct {
	*problem
	layout  []int
	demand  []Demand // by store
	held    []int    // objects by store
	excess  []float64
	dollars []float64
	unknown []bool  // whether the price of a store that is used is unknown
	reading float64 // seconds of reads that queries wait for, a second
	commit  float64 // how long a durable write of the WAL takes
	rest    float64 // least device time of objects not placed
	moved   float64 // bytes
}

func (p *problem) empty() *state {
	n := len(p.stores)
	s := &state{
		problem: p, layout: make([]int, len(p.objects)), demand: make([]Demand, n), held: make([]int, n), excess: make([]float64, n),
		dollars: make([]float64, n), unknown: make([]bool, n),
	}
	for i := range s.layout {
		s.layout[i] = -1
		s.rest += p.least[i]
	}
	return s
}

// of returns the state of a whole layout.
func (p *problem) of(layout []int) *state {
	s := p.empty()
	for i, at := range layout {
		s.layout[i] = at
		s.change(i, at, 1)
	}
	for at := range p.stores {
		s.refresh(at)
	}
	return s
}

// before holds what a change of one object's place changes, to be restored exactly: sums of
// floating-point numbers do not return to where they were.
type before struct {
	object, place, store, held    int
	demand                        Demand
	excess, dollars               float64
	unknown                       bool
	reading, commit, rest, copied float64
}

func (s *state) before(i, store int) before {
	return before{
		i, s.layout[i], store, s.held[store], s.demand[store], s.excess[store], s.dollars[store], s.unknown[store],
		s.reading, s.commit, s.rest, s.moved,
	}
}

// undo takes back the latest put or take.
func (s *state) undo(b before) {
	s.layout[b.object], s.held[b.store], s.demand[b.store] = b.place, b.held, b.demand
	s.excess[b.store], s.dollars[b.store], s.unknown[b.store] = b.excess, b.dollars, b.unknown
	s.reading, s.commit, s.rest, s.moved = b.reading, b.commit, b.rest, b.copied
}

// put places an object that has no place.
func (s *state) put(i, at int) before {
	b := s.before(i, at)
	s.layout[i] = at
	s.change(i, at, 1)
	s.refresh(at)
	return b
}

// take removes an object from its place.
func (s *state) take(i int) before {
	at := s.layout[i]
	b := s.before(i, at)
	s.layout[i] = -1
	s.change(i, at, -1)
	s.refresh(at)
	return b
}

func (s *state) change(i, at int, sign float64) {
	o, f := s.objects[i], s.figures[at]
	s.held[at] += int(sign)
	s.demand[at].add(s.demands[i][at], sign)
	s.rest -= sign * s.least[i]
	if s.now[i] >= 0 && s.now[i] != at {
		s.moved += sign * float64(o.Size)
	}
	if o.waited() {
		s.reading += sign * o.Reads * f.read
	}
	if o.Kind == WAL && o.Durable.Likely > 0 {
		s.commit += sign * (f.write + f.flush)
	}
}

// refresh computes what follows from the demand on a store. One that holds nothing is not bought.
func (s *state) refresh(at int) {
	s.excess[at] = s.figures[at].use(s.demand[at], s.stores[at].Capacity).excess()
	s.dollars[at], s.unknown[at] = 0, false
	if s.held[at] == 0 {
		s.demand[at], s.excess[at] = Demand{}, 0
		return
	}
	if s.price == nil {
		return
	}
	price := s.priceOf(at, s.demand[at].Size)
	s.dollars[at], s.unknown[at] = price.USD, !price.Known
}

// mostPrices is how many prices of a store are remembered: a bill takes longer to write than the
// rest of a layout takes to compute.
const mostPrices = 1 << 16

func (p *problem) priceOf(at int, size unit.Size) Dollars {
	if known, there := p.prices[at][size]; there {
		return known
	}
	var d Dollars
	if d.USD, d.Known = p.price(p.stores[at], size); !d.Known {
		d.USD = 0
	}
	if len(p.prices[at]) < mostPrices {
		p.prices[at][size] = d
	}
	return d
}

// usd returns the price of the layout a month, as far as it is known.
func (s *state) usd() (sum float64, known bool) {
	known = s.price != nil
	for i, one := range s.dollars {
		sum += one
		known = known && !s.unknown[i]
	}
	return sum, known
}

// time returns the device time a second, with the least that objects not yet placed need.
func (s *state) time() float64 {
	sum := s.rest
	for _, d := range s.demand {
		sum += d.DeviceTime
	}
	return sum
}

// score returns the score of the layout. If objects are missing, none of its figures is more than
// that of the whole layout will be.
func (s *state) score() score {
	usd, _ := s.usd()
	violation := s.violation(usd)
	if s.goal.Objective == LeastDollars {
		return score{violation, usd, s.time(), s.moved}
	}
	return score{violation, s.time(), usd, s.moved}
}

// violation adds up by how much limits are exceeded, each in proportion to itself. A store of
// unknown price counts as one where the price decides.
func (s *state) violation(usd float64) float64 {
	sum := 0.0
	for i := range s.stores {
		sum += s.excess[i]
		if s.unknown[i] && (s.goal.Budget > 0 || s.goal.Objective == LeastDollars) {
			sum++
		}
	}
	if s.goal.Budget > 0 {
		sum += max(0, usd/s.goal.Budget-1)
	}
	if target := s.goal.Target.Seconds(); target > 0 {
		sum += max(0, s.commit/target-1)
		if s.reads > 0 {
			sum += max(0, s.reading/s.reads/target-1)
		}
	}
	return sum
}
