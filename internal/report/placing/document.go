package placing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/placement"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// mostShown is how many objects the text has; JSON has all.
const mostShown = 40

func (p Placing) document() prose.Document {
	var d prose.Document
	d.Add(prose.Heading("What is hot, and what is cold"))
	if p.Of != "" {
		d.Add(prose.Paragraph("Statistics of " + p.Of + "."))
	}
	d.Add(prose.Paragraph(fmt.Sprintf("Database %s on PostgreSQL %s, %s of statistics up to %s.",
		p.Database, version(p.Server.Version), span(p.To.Sub(p.From)), p.To.UTC().Format("2006-01-02 15:04:05 UTC"))))
	shown, more := p.shown()
	d.Add(temperatures(shown))
	if more > 0 {
		d.Add(prose.Paragraph(fmt.Sprintf("%s more: --json has all.", unit.Count(more, "object"))))
	}
	d.Add(prose.Paragraph("Reads are blocks that queries needed; misses those of them that were not in shared_buffers. Writes are estimated blocks: likely, and from the least to the most."))
	d.Add(prose.Heading("Why"), reasons(shown))
	for _, a := range p.Ages {
		d = append(d, p.age(a)...)
	}
	if p.Plan != nil {
		d = append(d, p.layout(*p.Plan)...)
	}
	notes := slices.Clone(p.Workload.Notes)
	notes = append(notes, "writes: "+p.Workload.Writes.Note)
	d.Add(prose.Heading("What weakens these numbers"), prose.List(notes))
	return d
}

// version returns the number alone: distributions add their own.
func version(text string) string {
	number, _, _ := strings.Cut(text, " ")
	return number
}

var ranks = map[placement.Temperature]int{placement.Hot: 1, placement.WriteHot: 2, placement.Warm: 3, placement.Cold: 4}

// shown returns the objects of the text, the hottest first, and how many are left out.
func (p Placing) shown() ([]placement.Placed, int) {
	var all []placement.Placed
	for _, o := range p.Workload.Objects {
		all = append(all, placement.Placed{Object: o})
	}
	all = fold(all)
	rank := func(o placement.Placed) int { return cmp.Or(ranks[o.Temperature], 5) }
	slices.SortStableFunc(all, func(a, b placement.Placed) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Queried+b.Changed, a.Queried+a.Changed), cmp.Compare(b.Size, a.Size))
	})
	n := min(len(all), mostShown)
	return all[:n], len(all) - n
}

func temperatures(objects []placement.Placed) prose.Block {
	t := prose.WordTable{Columns: []prose.Column{
		{Title: "Object"}, {Title: "Size", Right: true}, {Title: "Reads/s", Right: true}, {Title: "Misses", Right: true}, {Title: "Writes/s", Right: true}, {Title: "Temperature"},
	}}
	for _, o := range objects {
		temperature := string(o.Temperature)
		if o.AppendOnly {
			temperature += ", append-only"
		}
		t.Rows = append(t.Rows, []string{
			name(o.Name), o.Size.String(), phrase.Count(o.Queried), phrase.Count(o.Reads), writes(o.Object), cmp.Or(temperature, phrase.None),
		})
	}
	return t
}

// writes returns the likely writes with their range, as far as it is one.
func writes(o placement.Object) string {
	r := o.Writes
	r.Low, r.Likely, r.High = r.Low+o.Durable.Low, r.Likely+o.Durable.Likely, r.High+o.Durable.High
	if phrase.Count(r.Low) == phrase.Count(r.High) {
		return phrase.Count(r.Likely)
	}
	return fmt.Sprintf("%s (%s-%s)", phrase.Count(r.Likely), phrase.Count(r.Low), phrase.Count(r.High))
}

func reasons(objects []placement.Placed) prose.Block {
	var lines prose.List
	for _, o := range objects {
		if len(o.Why) > 0 {
			lines = append(lines, name(o.Name)+": "+strings.Join(o.Why, "; "))
		}
	}
	return lines
}

// name leaves out the schema that most relations are in.
func name(full string) string {
	return strings.Replace(strings.TrimPrefix(full, "public."), " of public.", " of ", 1)
}

// deviceTime returns seconds of device time a second as milliseconds.
func deviceTime(seconds float64) string { return fmt.Sprintf("%s ms", phrase.Count(seconds*1000)) }

// span returns a length of time in words, from parts of a second to years.
func span(d time.Duration) string {
	switch days := d.Hours() / 24; {
	case d < time.Second:
		return fmt.Sprintf("%.2g s", d.Seconds())
	case days < 2:
		return unit.About(d)
	case days < 1000:
		return phrase.Count(days) + " days"
	default:
		return "years"
	}
}
