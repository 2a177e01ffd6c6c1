// Package cost says what environments cost a month, from price books, and what their throughput costs,
// from records. A price that is not known leaves the sum unknown; it never counts as zero.
package cost

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/instance"
	"plinth/internal/price"
	"plinth/internal/unit"
)

// Bill holds the costs of an environment for a month.
type Bill struct {
	price.Bill
	// Machine reports whether the bill has a machine; without one, it has storage only.
	Machine bool `json:"machine"`
	// Assumes lists what the bill takes for granted, because the file does not say it.
	Assumes []string `json:"assumes,omitempty"`

	book    *price.Book
	region  *price.Region
	hours   float64      // in a month
	surplus price.Amount // of a vCPU-hour of surplus CPU credits
}

// Books selects price books. Own, if not nil, takes the place of the book of the same name, and of the
// usual one.
type Books struct{ Own *price.Book }

// find returns the book of an environment.
func (b Books) find(name string) (*price.Book, error) {
	if b.Own != nil && (name == "" || name == b.Own.Name) {
		return b.Own, nil
	}
	return price.Find(cmp.Or(name, price.Today))
}

// billing collects the items of a bill.
type billing struct {
	*Bill
	book   *price.Book
	region *price.Region
	cost   experiment.Cost
	env    experiment.Environment
	kind   string // of instance
}

// BillOf returns what an environment of an experiment costs a month.
func BillOf(e *experiment.Experiment, env experiment.Environment, books Books) (*Bill, error) {
	c := e.CostOf(env)
	book, err := books.find(c.Book)
	if err != nil {
		return nil, fmt.Errorf("environment %s: %w", env.Name, err)
	}
	region := cmp.Or(c.Region, env.Facts["region"], book.DefaultRegion())
	prices, err := book.Region(region)
	if err != nil {
		return nil, fmt.Errorf("environment %s: %w", env.Name, err)
	}
	b := billing{
		Bill: &Bill{Bill: price.Bill{Book: book.Name, Date: book.Date, Currency: book.Currency, Region: region}, book: book, region: prices, hours: book.Hours, surplus: price.Unknown},
		book: book, region: prices, cost: c, env: env, kind: env.InstanceName(),
	}
	if c.Region == "" && env.Facts["region"] == "" && len(book.Regions) > 1 {
		b.assume("prices of " + region)
	}
	for _, part := range []func() error{b.machines, b.owned, b.volumes, b.further} {
		if err := part(); err != nil {
			return nil, fmt.Errorf("environment %s: %w", env.Name, err)
		}
	}
	family, _, _ := strings.Cut(strings.TrimPrefix(b.kind, "db."), ".")
	if strings.HasPrefix(b.kind, "db.") {
		family = "db." + family
	}
	if hour, found := prices.Surplus.VCPUHour[family]; found {
		b.surplus = hour
	}
	if len(b.Items) == 0 {
		b.unknown("everything", "the file states neither an instance nor a volume of the price book")
	}
	return b.Bill, nil
}

// Old returns the sources of the bill's prices that are older than a year.
func (b *Bill) Old(now time.Time) []price.Source {
	return slices.DeleteFunc(b.book.OldSources(b.region, now), func(s price.Source) bool {
		return !slices.ContainsFunc(b.Items, func(i price.Item) bool { return i.Source == s.String() })
	})
}

// Hours returns the hours of a month in the price book.
func (b *Bill) Hours() float64 { return b.hours }

func (b *billing) assume(text string) { b.Assumes = append(b.Assumes, text) }

func (b *billing) unknown(what, why string) {
	b.Items = append(b.Items, price.Item{What: what, Price: price.Unknown, Month: price.Unknown, Note: why})
}

// count returns the number of machines.
func (b *billing) count() int {
	if b.cost.Machines > 0 {
		return b.cost.Machines
	}
	if b.env.Replica.Storage.Data.There() {
		b.assume("the replica has a machine like the primary's")
		return 2
	}
	return 1
}

// usualService is the managed database of classes without a named one.
const usualService = "rds-postgresql"

// service returns the managed database; "" for a machine that is rented as such.
func (b *billing) service() string {
	if b.cost.Service == "" && strings.HasPrefix(b.kind, "db.") {
		return usualService
	}
	return b.cost.Service
}

// machines adds the rented machines.
func (b *billing) machines() error {
	if b.cost.ACUs > 0 {
		return b.capacityUnits()
	}
	if b.kind == "" {
		return nil
	}
	b.Machine = true
	count := b.count()
	var item price.Item
	var err error
	if service := b.service(); service != "" {
		item, err = b.book.Class(b.region, service, b.kind, b.cost.Term, count)
	} else {
		item, err = b.book.Instance(b.region, b.kind, b.cost.Term, count)
	}
	if err != nil {
		return err
	}
	b.Items = append(b.Items, b.discounted(item))
	return nil
}

// discounted returns an item of the machines at the price that is paid.
func (b *billing) discounted(item price.Item) price.Item {
	if off := float64(b.cost.Discount); off > 0 {
		item.What += fmt.Sprintf(", %g %% off", 100*off)
		item.Price *= price.Amount(1 - off)
		item.Month *= price.Amount(1 - off)
	}
	return item
}

// capacityUnits adds the capacity units of Aurora Serverless.
func (b *billing) capacityUnits() error {
	service := cmp.Or(b.cost.Service, "aurora-serverless-v2")
	d, found := b.region.Databases[service]
	if !found || d.ACUHour == nil {
		return fmt.Errorf("the price book %s has no capacity units of %s in %s", b.book.Name, service, b.Region)
	}
	b.Machine, b.cost.Service = true, service
	quantity := b.cost.ACUs * b.book.Hours
	b.Items = append(b.Items, b.discounted(price.Item{
		What: fmt.Sprintf("%g ACUs", b.cost.ACUs), Quantity: quantity, Unit: "ACU-hours", Price: *d.ACUHour,
		Month: *d.ACUHour * price.Amount(quantity), Source: b.book.Sources[d.Source].String(),
	}))
	return nil
}

// usualYears is how long a machine that is owned is used.
const usualYears = 4

// owned adds a machine that is owned.
func (b *billing) owned() error {
	p := b.cost.Premises
	if !p.There() {
		return nil
	}
	b.Machine = true
	share := float64(cmp.Or(p.Share, 1))
	of := ""
	if share < 1 {
		of = fmt.Sprintf(", %g %% of it", 100*share)
	}
	years := cmp.Or(p.Years, usualYears)
	months := years * 12
	b.Items = append(b.Items, price.Item{
		What: fmt.Sprintf("machine over %g years%s", years, of), Quantity: share, Unit: "machine",
		Price: price.Amount(p.Capital / months), Month: price.Amount(p.Capital / months * share), Source: stated,
	})
	if p.Watts > 0 {
		hours := p.Watts / 1000 * b.book.Hours * share
		b.Items = append(b.Items, price.Item{
			What: fmt.Sprintf("power, %g W%s", p.Watts, of), Quantity: hours, Unit: "kWh",
			Price: price.Amount(p.KilowattHour), Month: price.Amount(p.KilowattHour * hours), Source: stated,
		})
	}
	return nil
}

// stated is the source of amounts that the experiment file gives.
const stated = "the experiment file"

// further adds costs that the file states.
func (b *billing) further() error {
	for _, name := range slices.Sorted(maps.Keys(b.cost.Further)) {
		amount, err := strconv.ParseFloat(b.cost.Further[name], 64)
		if err != nil {
			return fmt.Errorf("cost.further: %q is not an amount", b.cost.Further[name])
		}
		b.Items = append(b.Items, price.Item{What: name, Quantity: 1, Unit: "month", Price: price.Amount(amount), Month: price.Amount(amount), Source: stated})
	}
	return nil
}

// local reports whether the environment's instance has local drives, which its price includes.
func (b *billing) local() bool {
	i, err := instance.Find(b.kind)
	return err == nil && i.Drives.Number > 0
}

func gigabytes(s unit.Size) float64 { return float64(s) / float64(unit.GiB) }

func mebibytes(r unit.Rate) float64 { return float64(r) / float64(unit.MiB) }
