package cost

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/price"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

//go:embed published.yaml
var publishedText []byte

// Published is a table of costs that was published.
type Published struct {
	Name   string         `yaml:"name" json:"name"`
	Title  string         `yaml:"title" json:"title"`
	From   string         `yaml:"from" json:"from"` // publication and section
	Book   string         `yaml:"book" json:"book"` // with its prices
	Region string         `yaml:"region" json:"region"`
	Latest string         `yaml:"today" json:"today_region,omitempty"` // region of the latest prices, if another
	Rows   []PublishedRow `yaml:"rows" json:"rows"`
}

// PublishedRow is one row: a bill, or a number that follows from another row's bill.
type PublishedRow struct {
	Name     string            `yaml:"name" json:"name"`
	Instance string            `yaml:"instance" json:"instance,omitempty"`
	Term     string            `yaml:"term" json:"term,omitempty"`
	Volumes  []PublishedVolume `yaml:"volumes" json:"volumes,omitempty"`
	Minus    string            `yaml:"minus" json:"minus,omitempty"` // a row that is subtracted
	Of       string            `yaml:"of" json:"of,omitempty"`       // the row from which Measure follows
	Over     string            `yaml:"over" json:"over,omitempty"`   // the row that divides it
	TPS      float64           `yaml:"tps" json:"tps,omitempty"`     // as published
	Measure  string            `yaml:"measure" json:"measure"`       // see measures; "" for the month's bill
	Printed  float64           `yaml:"printed" json:"printed"`
	Note     string            `yaml:"note" json:"note,omitempty"`
	// Own and Today are the values with the publication's prices and with the latest; unknown if a
	// price or a quantity is missing.
	Own   price.Amount `yaml:"-" json:"own"`
	Today price.Amount `yaml:"-" json:"today"`
}

// PublishedVolume is a volume of a row.
type PublishedVolume struct {
	For        string    `yaml:"for" json:"for,omitempty"`
	Type       string    `yaml:"type" json:"type"`
	Size       unit.Size `yaml:"size" json:"size"`
	Count      int       `yaml:"count" json:"count,omitempty"`
	IOPS       float64   `yaml:"iops" json:"iops,omitempty"`
	Throughput unit.Rate `yaml:"throughput" json:"throughput,omitempty"`
}

// measures compute what follows from the bill of a month.
var measures = map[string]func(month, tps, hours float64) float64{
	"million":    func(month, tps, hours float64) float64 { return month / (tps * 3600 * hours) * 1e6 },
	"thousand":   func(month, tps, _ float64) float64 { return month / tps * 1000 },
	"per-dollar": func(month, tps, _ float64) float64 { return tps / month },
}

var publishedTables = sync.OnceValues(func() ([]Published, error) {
	var all []Published
	err := strictyaml.Decode(publishedText, &all)
	return all, err
})

// PublishedTables returns the tables that were published, calculated again with their own prices and with
// those of books (today's).
func PublishedTables(books Books) ([]Published, error) {
	known, err := publishedTables()
	if err != nil {
		return nil, err
	}
	var all []Published
	for _, t := range known {
		t.Rows = append([]PublishedRow(nil), t.Rows...)
		own, err := price.Find(t.Book)
		if err != nil {
			return nil, err
		}
		today, err := books.find("")
		if err != nil {
			return nil, err
		}
		for i := range t.Rows {
			t.Rows[i].Own, t.Rows[i].Today = t.value(t.Rows[i], own, t.Region), t.value(t.Rows[i], today, cmp.Or(t.Latest, t.Region))
		}
		all = append(all, t)
	}
	return all, nil
}

// FindPublished returns a table by its name.
func FindPublished(name string, books Books) (Published, error) {
	all, err := PublishedTables(books)
	if err != nil {
		return Published{}, err
	}
	var names []string
	for _, t := range all {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Published{}, hint.Errorf(hint.DidYouMean(name, names, "there are "+strings.Join(names, ", ")), "there is no published table %q", name)
}

// value returns the value of a row with the prices of a book in a region.
func (t Published) value(r PublishedRow, book *price.Book, region string) price.Amount {
	switch {
	case r.Measure == "ratio":
		return t.month(t.row(r.Of), book, region) / t.month(t.row(r.Over), book, region)
	case r.Measure != "":
		month := float64(t.month(t.row(r.Of), book, region))
		return price.Amount(measures[r.Measure](month, r.TPS, book.Hours))
	case r.Minus != "":
		return t.month(r, book, region) - t.month(t.row(r.Minus), book, region)
	}
	return t.month(r, book, region)
}

// month returns the bill of a row; unknown if a price is.
func (t Published) month(r PublishedRow, book *price.Book, region string) price.Amount {
	env := experiment.Environment{Name: "published", Instance: r.Instance, Cost: experiment.Cost{Book: book.Name, Region: region, Term: r.Term}}
	for _, v := range r.Volumes {
		env.Cost.Volumes = append(env.Cost.Volumes, experiment.CostVolume{For: v.For, Type: v.Type, Count: v.Count, Size: v.Size, IOPS: v.IOPS, Throughput: v.Throughput})
	}
	bill, err := BillOf(&experiment.Experiment{Environments: []experiment.Environment{env}}, env, Books{Own: book})
	if err != nil { // the book lacks the region or the term
		return price.Unknown
	}
	return bill.Month()
}

func (t Published) row(name string) PublishedRow {
	for _, r := range t.Rows {
		if r.Name == name {
			return r
		}
	}
	return PublishedRow{}
}

// Follows reports whether a printed value follows from a calculated one, as far as it is rounded.
func Follows(printed float64, calculated price.Amount) bool {
	return calculated.Known() && math.Abs(printed-float64(calculated)) <= half(printed)
}

// half returns half of the last digit of a number as printed.
func half(printed float64) float64 {
	text := fmt.Sprint(printed)
	_, decimals, found := strings.Cut(text, ".")
	if !found {
		return 0.5
	}
	return 0.5*math.Pow(10, -float64(len(decimals))) + 1e-9
}
