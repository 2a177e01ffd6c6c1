package costs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// Books lists price books.
func Books(all []*price.Book, now time.Time) prose.Document {
	t := prose.Table{Columns: []prose.Column{{Title: "Book"}, {Title: "Prices of"}, {Title: "Currency"}, {Title: "Hours", Right: true}, {Title: "Regions"}}}
	for _, b := range all {
		t.Rows = append(t.Rows, []string{b.Name, b.Date, b.Currency, phrase.Exact(b.Hours), strings.Join(slices.Sorted(maps.Keys(b.Regions)), ", ")})
	}
	d := prose.Document{t}
	for _, b := range all {
		if b.Old(now) {
			d.Add(prose.List{old(b)})
		}
	}
	d.Add(prose.Paragraph("plinth prices NAME shows the prices of a book; --yaml prints its file, to begin one of your own."))
	return d
}

func old(b *price.Book) string {
	return fmt.Sprintf("%s: its prices are of %s, more than a year ago", b.Name, b.Date)
}

// Book shows the prices of a book in one region.
func Book(b *price.Book, region string, now time.Time) (prose.Document, error) {
	r, err := b.Region(region)
	if err != nil {
		return nil, err
	}
	d := prose.Document{prose.Heading(fmt.Sprintf("%s, %s", b.Title, region)), prose.Paragraph(fmt.Sprintf("%s per month of %s hours, as of %s.", b.Currency, phrase.Exact(b.Hours), b.Date))}
	var olds prose.List
	for _, source := range b.OldSources(r, now) {
		olds = append(olds, "older than a year: "+source.String())
	}
	if olds != nil {
		d.Add(olds)
	}
	if len(r.Volumes) > 0 {
		d.Add(volumes("Volumes", r.Volumes))
	}
	if len(r.Instances.Hour) > 0 {
		d.Add(instances(b, "Instances, on demand (source: "+r.Instances.Source+")", r.Instances.Hour))
	}
	d.Add(terms(b, r)...)
	d.Add(databases(b, r)...)
	if len(r.Surplus.VCPUHour) > 0 {
		var lines prose.List
		for _, family := range slices.Sorted(maps.Keys(r.Surplus.VCPUHour)) {
			lines = append(lines, fmt.Sprintf("%s: %s a vCPU-hour of surplus CPU credits", family, listed(r.Surplus.VCPUHour[family])))
		}
		d.Add(lines)
	}
	d.Add(prose.Heading("Sources"), sources(b))
	if len(b.Notes) > 0 {
		d.Add(prose.List(b.Notes))
	}
	return d, nil
}

func terms(b *price.Book, r *price.Region) (d prose.Document) {
	for _, name := range slices.Sorted(maps.Keys(r.Terms)) {
		term := r.Terms[name]
		if term.Discount > 0 {
			d.Add(prose.Paragraph(fmt.Sprintf("Term %s: %g %% off.", name, 100*term.Discount)))
		}
		if len(term.Hour) > 0 {
			d.Add(instances(b, "Instances, "+name, term.Hour))
		}
	}
	return d
}

func databases(b *price.Book, r *price.Region) (d prose.Document) {
	for _, name := range slices.Sorted(maps.Keys(r.Databases)) {
		m := r.Databases[name]
		d.Add(prose.Heading(name + ": " + m.Title))
		if m.ACUHour != nil {
			d.Add(prose.Paragraph(fmt.Sprintf("A capacity unit (ACU) costs %s an hour.", listed(*m.ACUHour))))
		}
		if len(m.Volumes) > 0 {
			d.Add(volumes("Storage", m.Volumes))
		}
		if len(m.Hour) > 0 {
			d.Add(instances(b, "Instances", m.Hour))
		}
		if m.Note != "" {
			d.Add(prose.Paragraph(m.Note))
		}
	}
	return d
}

func sources(b *price.Book) prose.List {
	var lines prose.List
	for _, name := range slices.Sorted(maps.Keys(b.Sources)) {
		lines = append(lines, name+": "+b.Sources[name].String())
	}
	return lines
}

func volumes(title string, all map[string]price.Volume) prose.Table {
	t := prose.Table{Title: title, Columns: []prose.Column{{Title: "Volume"}, {Title: "a GB", Right: true}, {Title: "an IOPS"}, {Title: "a MiB/s"}}}
	list := slices.Collect(maps.Values(all))
	requests := slices.ContainsFunc(list, func(v price.Volume) bool { return v.MillionIOs != nil })
	if requests {
		t.Columns = append(t.Columns, prose.Column{Title: "a million I/Os", Right: true})
	}
	several := slices.ContainsFunc(list, func(v price.Volume) bool { return v.Source != list[0].Source })
	if several {
		t.Columns = append(t.Columns, prose.Column{Title: "Source"})
	} else if len(list) > 0 {
		t.Title += " (source: " + list[0].Source + ")"
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		v := all[name]
		row := []string{name, listed(*v.GB), tiers(v.IOPS), tiers(v.Throughput)}
		if requests {
			ios := phrase.None
			if v.MillionIOs != nil {
				ios = listed(*v.MillionIOs)
			}
			row = append(row, ios)
		}
		if several {
			row = append(row, v.Source)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// tiers lists marginal prices: "0.065, 0.0455 > 32,000".
func tiers(all []price.Tier) string {
	if len(all) == 0 {
		return phrase.None
	}
	var parts []string
	for _, t := range all {
		text := listed(t.Price)
		if t.Above > 0 {
			text += " > " + phrase.Count(t.Above)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func instances(b *price.Book, title string, hour map[string]price.Amount) prose.Table {
	t := prose.Table{Title: title, Columns: []prose.Column{{Title: "Type"}, {Title: "an hour", Right: true}, {Title: "a month", Right: true}}}
	names := slices.SortedFunc(maps.Keys(hour), compareTypes)
	for _, name := range names {
		t.Rows = append(t.Rows, []string{name, listed(hour[name]), amount(hour[name] * price.Amount(b.Hours))})
	}
	return t
}

// compareTypes orders types by family, then by size.
func compareTypes(a, b string) int {
	familyA, sizeA := cutLast(a)
	familyB, sizeB := cutLast(b)
	if familyA != familyB {
		return strings.Compare(familyA, familyB)
	}
	if order := rank(sizeA) - rank(sizeB); order != 0 {
		return order
	}
	return strings.Compare(a, b)
}

func cutLast(name string) (family, size string) {
	at := strings.LastIndex(name, ".")
	if at < 0 {
		return name, ""
	}
	return name[:at], name[at+1:]
}

// rank orders sizes: nano to large, then the multiples of xlarge.
func rank(size string) int {
	for i, name := range []string{"nano", "micro", "small", "medium", "large", "xlarge"} {
		if size == name {
			return i
		}
	}
	n, err := strconv.Atoi(strings.TrimSuffix(size, "xlarge"))
	if err != nil {
		return 1 << 20 // metal
	}
	return 10 + n
}

// listed formats a price of a book.
func listed(a price.Amount) string {
	if !a.Known() {
		return "unknown"
	}
	return unitPrice(a)
}
