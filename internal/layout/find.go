package layout

import (
	"fmt"

	"plinth/internal/cost"
	"plinth/internal/hint"
	"plinth/internal/placement"
	"plinth/internal/price"
	"plinth/internal/unit"
)

// Choice holds the stores and prices from which a layout is chosen.
type Choice struct {
	// Stores are the user's, with StorePrice; nil: what the catalog and the instance offer, with the
	// prices of Region.
	Stores     []placement.Store
	StorePrice placement.Price
	Book       *price.Book
	Region     *price.Region
}

// finder finds a layout.
type finder struct {
	in     *completed
	choice Choice
	work   placement.Workload
	stores []candidate
	prices map[bought]placement.Dollars
	notes  []string
}

// bought is a volume of a size.
type bought struct {
	store string
	size  unit.Size
}

func (f *finder) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// newFinder prepares a search.
func newFinder(in Input, choice Choice) (*finder, error) {
	c, err := in.complete()
	if err != nil {
		return nil, err
	}
	f := &finder{in: c, choice: choice, work: c.workload(), prices: map[bought]placement.Dollars{}}
	if f.stores, err = f.candidates(); err != nil {
		return nil, err
	}
	return f, f.check()
}

// check finds objects that no store accepts, with advice.
func (f *finder) check() error {
	for _, o := range f.work.Objects {
		taken := false
		for _, c := range f.stores {
			taken = taken || takes(c.Store, o)
		}
		switch {
		case taken:
		case o.Kind == placement.WAL:
			return hint.Errorf("add a store that is not an HDD volume: --storage wal=gp3", "no store accepts the WAL: each commit would wait for a disk to rotate")
		case o.Kind == placement.Other:
			return hint.Errorf("name an instance with local disks, or another device under on:", "no store accepts %s", o.Name)
		default:
			return hint.Errorf("add a store with --storage", "no store accepts %s", o.Name)
		}
	}
	return nil
}

func takes(s placement.Store, o placement.Object) bool {
	for _, kind := range s.Refuses {
		if kind == o.Kind {
			return false
		}
	}
	return s.Accepts == nil || s.Accepts(o)
}

// goal returns the goal: within a budget the least device time, otherwise the lowest price.
func (f *finder) goal() placement.Goal {
	g := placement.Goal{Objective: placement.LeastDollars, Budget: f.in.Budget, Target: f.in.Target.Std()}
	if g.Budget > 0 {
		g.Objective = placement.LeastTime
	}
	return g
}

// price returns the price of a store that holds so many bytes: local disks are paid with the instance.
func (f *finder) price(s placement.Store, held unit.Size) (usd float64, known bool) {
	c := f.candidate(s.Name)
	key := bought{s.Name, c.size(held)}
	if d, there := f.prices[key]; there {
		return d.USD, d.Known
	}
	var d placement.Dollars
	switch {
	case c.own && f.choice.StorePrice != nil:
		d.USD, d.Known = f.choice.StorePrice(s, unit.Size(float64(key.size)*float64(placement.ShareOfCapacity)))
	case c.medium == onLocal && !c.own:
		d.Known = true
	case f.choice.Book != nil && f.choice.Book.Currency == "USD":
		amount := cost.Disk(f.choice.Book, f.choice.Region, s.Device, key.size)
		if d.Known = amount.Known(); d.Known {
			d.USD = float64(amount)
		}
	}
	f.prices[key] = d
	return d.USD, d.Known
}

func (f *finder) candidate(name string) candidate {
	for _, c := range f.stores {
		if c.Name == name {
			return c
		}
	}
	return candidate{}
}

// plan finds where each object goes. Forced objects, by their names, go to a store. An array writes
// each copy through the instance: if that is more than the instance sustains, a layout without arrays is
// tried.
func (f *finder) plan(forced map[string]string) (placement.Plan, error) {
	plan, err := f.planWith(forced, true)
	if err != nil || len(f.beyondInstance(plan)) == 0 {
		return plan, err
	}
	if other, err := f.planWith(forced, false); err == nil && len(other.Violations) == 0 {
		return other, nil
	}
	return plan, nil
}

func (f *finder) planWith(forced map[string]string, arrays bool) (placement.Plan, error) {
	stores := make([]placement.Store, len(f.stores))
	for i, c := range f.stores {
		s := c.Store
		s.Accepts = func(o placement.Object) bool {
			if to := forced[o.Name]; to != "" {
				return to == c.Name
			}
			return (arrays || c.Device.Array == nil || c.medium == onLocal) && (c.Accepts == nil || c.Accepts(o))
		}
		stores[i] = s
	}
	plan, err := placement.Find(f.work, stores, f.goal(), f.price)
	plan.Violations = append(plan.Violations, f.beyondInstance(plan)...)
	plan.Steps, plan.Undo = nil, nil // there is nothing to move yet
	return plan, err
}

// Layout is the storage of a database: disks, filesystems, settings, and what follows.
type Layout struct {
	Input   Input          `json:"input"`
	Assumes []string       `json:"assumes"`
	Notes   []string       `json:"notes"`
	Plan    placement.Plan `json:"plan"`
	Disks   []Disk         `json:"disks"`
	Volumes []Volume       `json:"volumes"`
	// Settings are those of the server and of tablespaces; Commands create the volumes, and Statements
	// the tablespaces, in order.
	Settings   []Setting      `json:"settings"`
	Commands   []string       `json:"commands"`
	Statements []string       `json:"statements"`
	Rules      []Applied      `json:"rules"` // why
	Limit      Limit          `json:"first_limit"`
	Next       []Next         `json:"next"`
	Durability []string       `json:"durability"`
	Backup     []string       `json:"backup_and_restore"`
	Published  *Comparison    `json:"published,omitempty"`
	Instance   *InstanceLimit `json:"instance,omitempty"`
}

// Meets reports whether the layout meets the goal and exceeds no limit.
func (l Layout) Meets() bool { return len(l.Plan.Violations) == 0 }

// Find returns the layout for an input. If the goal cannot be met, it is the layout that comes nearest.
func Find(in Input, choice Choice) (*Layout, error) {
	f, err := newFinder(in, choice)
	if err != nil {
		return nil, err
	}
	plan, err := f.plan(nil)
	if err != nil {
		return nil, err
	}
	l := &Layout{Input: f.in.Input, Assumes: append([]string{}, f.in.assumes...), Plan: plan, Backup: placement.Consequences[:4]}
	l.Instance = f.instanceLimit(plan)
	l.Disks = f.disks(plan)
	l.Volumes = f.volumes(l)
	f.follow(l)
	l.Limit = l.limit()
	l.Next = f.next(in, plan)
	l.Durability = f.durability(l)
	if err := f.compare(l); err != nil {
		return nil, err
	}
	f.drivesNote()
	l.Notes = append([]string{}, f.notes...)
	return l, nil
}

// drivesNote says where the drives of the input are not those of the catalog.
func (f *finder) drivesNote() {
	d, i := f.in.Drives, f.in.instance
	if d.Number == 0 || i == nil || i.Drives.Number == d.Number && i.Drives.Size == d.Size {
		return
	}
	f.note("the catalog has %s of %s for %s, the file %d of %s: leave out drives: to use the catalog's",
		unit.Count(i.Drives.Number, "local disk"), i.Drives.Size, i.Name, d.Number, d.Size)
}
