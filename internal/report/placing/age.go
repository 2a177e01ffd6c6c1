package placing

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"plinth/internal/placement"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// age words how old the rows of a table are, and what follows from it.
func (p Placing) age(a placement.Aged) prose.Document {
	d := prose.Document{prose.Heading(fmt.Sprintf("Age of rows: %s by %s", name(a.Table.String()), a.Column))}
	if len(a.Older) > 0 {
		t := prose.Table{Columns: []prose.Column{{Title: "Older than"}, {Title: "Rows", Right: true}, {Title: "Of all", Right: true}, {Title: "Bytes (estimated)", Right: true}}}
		for _, o := range a.Older {
			t.Rows = append(t.Rows, []string{o.Than, phrase.Count(math.Round(o.Rows)), phrase.Percent(o.Share), o.Size.String()})
		}
		d.Add(t)
	}
	if a.LastUse != nil {
		d.Add(prose.Paragraph(fmt.Sprintf("It was last scanned %s before the statistics were read.", p.since(a.LastUse))))
	}
	if len(a.Parts) > 0 {
		d.Add(p.partitions(a))
		if more := len(a.Parts) - mostShown; more > 0 {
			d.Add(prose.Paragraph(fmt.Sprintf("%s more: --json has all.", unit.Count(more, "partition"))))
		}
	}
	if o := a.Old; o != nil {
		text := fmt.Sprintf("%s of the rows are older than %s. Partitioned by %s, the table could keep these %s on a store for cold data.",
			phrase.Percent(o.Share), o.Than, a.Column, o.Size)
		if s := a.Saving; s != nil {
			text += fmt.Sprintf(" On %s they would save $%.2f a month, indexes not included.", s.Store, s.USD)
		}
		d.Add(prose.Paragraph(text))
	}
	d.Add(prose.List(a.Notes))
	return d
}

// partitions lists the partitions with their bounds.
func (p Placing) partitions(a placement.Aged) prose.Block {
	t := prose.WordTable{Columns: []prose.Column{{Title: "Partition"}, {Title: "Bound"}, {Title: "Size", Right: true}}}
	for _, o := range a.Older {
		t.Columns = append(t.Columns, prose.Column{Title: "Over " + o.Than, Right: true})
	}
	t.Columns = append(t.Columns, prose.Column{Title: "Temperature"}, prose.Column{Title: "Last use", Right: true})
	for _, part := range a.Parts[:min(len(a.Parts), mostShown)] {
		row := []string{name(part.Name.String()), cmp.Or(strings.TrimPrefix(part.Bound, "FOR VALUES "), phrase.None), part.Size.String()}
		for i := range a.Older {
			if part.Shares == nil {
				row = append(row, phrase.None)
				continue
			}
			row = append(row, phrase.Percent(part.Shares[i]))
		}
		t.Rows = append(t.Rows, append(row, cmp.Or(string(part.Temperature), phrase.None), p.since(part.LastUse)))
	}
	return t
}

// since returns how long before the statistics were read something happened.
func (p Placing) since(at *time.Time) string {
	if at == nil {
		return phrase.None
	}
	return span(max(0, p.To.Sub(*at)))
}
