package price

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// Item is one line of a bill, for a month.
type Item struct {
	What     string  `json:"what"` // "gp3 data: 500 GB"
	Quantity float64 `json:"quantity"`
	Unit     string  `json:"unit"` // "GB", "IOPS", "hours"
	Price    Amount  `json:"price"`
	Month    Amount  `json:"month"`
	Source   string  `json:"source,omitempty"` // the citation
	Note     string  `json:"note,omitempty"`   // why the price is unknown, or what it assumes
}

// Bill holds the costs of a month.
type Bill struct {
	Book     string `json:"book"` // its name
	Date     string `json:"date"`
	Currency string `json:"currency"`
	Region   string `json:"region"`
	Items    []Item `json:"items"`
}

// Month returns the sum of all items; unknown if one of them is.
func (b Bill) Month() Amount {
	var sum Amount
	for _, i := range b.Items {
		sum += i.Month
	}
	return sum
}

// Least returns the sum of the items that are known.
func (b Bill) Least() Amount {
	var sum Amount
	for _, i := range b.Items {
		if i.Month.Known() {
			sum += i.Month
		}
	}
	return sum
}

// Open returns the items whose price is unknown.
func (b Bill) Open() []Item {
	var open []Item
	for _, i := range b.Items {
		if !i.Month.Known() {
			open = append(open, i)
		}
	}
	return open
}

// Size describes volumes to be paid: Count of them, each of the same size.
type Size struct {
	What       string  // in the bill: "gp3 data"
	Count      int     // of volumes; 0 for one
	GB         float64 // of each, as billed; 0 if unknown
	IOPS       float64 // provisioned, of each; 0 for what is included
	Throughput float64 // MiB/s provisioned, of each; 0 for what is included
	IOs        float64 // requests per month, of all; 0 if unknown
}

// Items returns what volumes cost a month. Volumes of AWS are billed in whole gigabytes.
func (v Volume) Items(b *Book, s Size) []Item {
	count := float64(max(1, s.Count))
	times := ""
	if count > 1 {
		times = fmt.Sprintf("%g x ", count)
	}
	source := b.source(v.Source).String()
	item := func(what string, quantity float64, of string, price Amount) Item {
		return Item{What: s.What + ": " + times + what, Quantity: count * quantity, Unit: of, Price: price, Month: price * Amount(count*quantity), Source: source}
	}
	var items []Item
	gb := item(number(s.GB)+" GB", math.Ceil(s.GB-1e-9), "GB", *v.GB)
	if s.GB <= 0 {
		gb = Item{What: s.What + ": storage", Unit: "GB", Price: *v.GB, Month: Unknown, Source: source, Note: "its size is not known"}
	}
	items = append(items, gb)
	iopsIncluded, throughputIncluded := v.included(s.GB)
	if len(v.IOPS) > 0 && v.IOPS[0].Above == 0 && iopsIncluded == 0 && s.IOPS == 0 {
		items = append(items, Item{What: s.What + ": IOPS", Unit: "IOPS", Price: v.IOPS[0].Price, Month: Unknown, Source: source, Note: "its IOPS are not known"})
	}
	for _, asked := range []struct {
		unit   string
		amount float64
		tiers  []Tier
	}{{"IOPS", s.IOPS, v.IOPS}, {"MiB/s", s.Throughput, v.Throughput}} {
		if asked.amount > 0 && len(asked.tiers) == 0 {
			items = append(items, Item{What: fmt.Sprintf("%s: %s %s", s.What, number(asked.amount), asked.unit), Unit: asked.unit, Price: Unknown, Month: Unknown, Source: source, Note: "the book has no price of " + asked.unit})
		}
	}
	for _, part := range marginal(v.IOPS, s.IOPS, iopsIncluded) {
		items = append(items, item(part.words("IOPS"), part.quantity, "IOPS", part.price))
	}
	for _, part := range marginal(v.Throughput, s.Throughput, throughputIncluded) {
		items = append(items, item(part.words("MiB/s"), part.quantity, "MiB/s", part.price))
	}
	if v.MillionIOs != nil {
		ios := Item{What: s.What + ": I/Os", Quantity: s.IOs / 1e6, Unit: "million I/Os", Price: *v.MillionIOs, Month: *v.MillionIOs * Amount(s.IOs/1e6), Source: source}
		if s.IOs <= 0 {
			ios.Month, ios.Note = Unknown, "the number of I/Os is not known"
		}
		items = append(items, ios)
	}
	return items
}

// included returns what a volume of a size has without an extra price, if that differs from what lies below
// the first tier; 0 otherwise.
func (v Volume) included(gb float64) (iops, throughput float64) {
	for _, i := range v.Included {
		if gb >= i.FromGB {
			iops, throughput = max(iops, i.IOPS), max(throughput, i.Throughput)
		}
	}
	return iops, throughput
}

// part is the amount that lies in one tier.
type part struct {
	quantity, above float64
	price           Amount
}

func (p part) words(what string) string {
	if p.above == 0 {
		return number(p.quantity) + " " + what
	}
	return fmt.Sprintf("%s %s above %s", number(p.quantity), what, number(p.above))
}

// marginal divides an amount among tiers. What is included costs nothing in whichever tier it lies.
func marginal(tiers []Tier, amount, included float64) []part {
	var parts []part
	for i, t := range tiers {
		from, to := max(t.Above, included), amount
		if i+1 < len(tiers) {
			to = min(amount, tiers[i+1].Above)
		}
		if to > from {
			parts = append(parts, part{to - from, from, t.Price})
		}
	}
	return parts
}

// number formats a quantity with at most one decimal.
func number(f float64) string { return strings.TrimSuffix(unit.Grouped(f, 1), ".0") }

// Instance returns what virtual machines cost a month, on demand or under a term.
func (b *Book) Instance(r *Region, kind, term string, count int) (Item, error) {
	return b.hourly(r, r.Instances, kind, term, count)
}

// Class returns what instances of a managed database cost a month.
func (b *Book) Class(r *Region, service, kind, term string, count int) (Item, error) {
	d, found := r.Databases[service]
	if !found {
		return Item{}, unknownName("managed database", service, r.Databases)
	}
	return b.hourly(r, Hourly{d.Source, d.Hour}, kind, term, count)
}

func (b *Book) hourly(r *Region, list Hourly, kind, term string, count int) (Item, error) {
	n := float64(max(1, count))
	i := Item{What: kind, Quantity: n * b.Hours, Unit: "hours", Price: Unknown, Source: b.source(list.Source).String()}
	if n > 1 {
		i.What = fmt.Sprintf("%g x %s", n, kind)
	}
	if hour, found := list.Hour[kind]; found {
		i.Price = hour
	} else {
		i.Note = "the book has no price of " + kind
	}
	if term != "" && term != OnDemand {
		t, found := r.Terms[term]
		if !found {
			return Item{}, unknownName("term", term, r.Terms)
		}
		i.What, i.Source = i.What+", "+term, b.source(t.Source).String()
		hour, own := t.Hour[kind]
		switch {
		case own:
			i.Price, i.Note = hour, ""
		case t.Discount > 0:
			i.Price *= Amount(1 - t.Discount)
		default:
			i.Price, i.Note = Unknown, "the book has no price of "+kind+" under this term"
		}
	}
	i.Month = i.Price * Amount(i.Quantity)
	return i, nil
}

// OnDemand is the term of prices without a commitment.
const OnDemand = "on-demand"

func unknownName[V any](what, name string, known map[string]V) error {
	names := slices.Sorted(maps.Keys(known))
	return hint.Errorf(hint.DidYouMean(name, names, "the book has "+strings.Join(names, ", ")), "the price book has no %s %q in this region", what, name)
}
