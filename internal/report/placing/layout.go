package placing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/placement"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// layout words a plan.
func (p Placing) layout(plan placement.Plan) prose.Document {
	var d prose.Document
	d.Add(prose.Heading("Layout"), prose.Paragraph(goal(plan.Goal)))
	if len(plan.Exceeded) > 0 {
		d.Add(prose.Paragraph("At present, more is used than is allowed:"), limits(plan.Exceeded))
	}
	if len(plan.Violations) > 0 {
		d.Add(prose.Paragraph("No layout meets this goal. The one below exceeds the limits least:"), limits(plan.Violations), prose.Paragraph(sentence(plan.Nearest)))
	}
	d.Add(places(plan), totals(plan), prose.Paragraph(search(plan.Search)))
	d.Add(prose.Heading("Expected load of each store"), stores(plan))
	d.Add(prose.Paragraph(fmt.Sprintf("At most %s of a device's limits and %s of a capacity may be used. The margin is the factor by which the load can grow before that. Device time is that of an idle device: waiting times come on top as the use grows.",
		placement.ShareOfRate, placement.ShareOfCapacity)))
	if p.PriceNote != "" {
		d.Add(prose.Paragraph(p.PriceNote))
	}
	if len(plan.Steps) == 0 {
		d.Add(prose.Paragraph("Nothing has to move."))
		return d
	}
	d = append(d, moves(plan)...)
	d.Add(prose.Heading("Backup and restore"), prose.List(placement.Consequences))
	return d
}

func limits(exceeded []placement.Violation) prose.List {
	var lines prose.List
	for _, v := range exceeded {
		lines = append(lines, v.String())
	}
	return lines
}

func goal(g placement.Goal) string {
	text := "Goal: the " + string(g.Objective)
	if g.Budget > 0 {
		text += fmt.Sprintf(", at no more than $%.2f a month", g.Budget)
	}
	if g.Target > 0 {
		text += fmt.Sprintf(", with a mean read and a durable write of the WAL of at most %s each", unit.Duration(g.Target))
	}
	return text + "."
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func search(s placement.Search) string {
	how := map[string]string{
		placement.Enumerated: "All %s layouts were compared.",
		placement.Bounded:    "None of %s layouts is better (branch and bound).",
		placement.Searched:   "Found by a search among %s layouts: neither moving one object nor exchanging two of the 200 that matter most improves it.",
	}[s.Method]
	if how == "" {
		return ""
	}
	count := phrase.Count(s.Layouts)
	switch {
	case s.Layouts >= 1e300:
		count = "more than 1e+300"
	case s.Layouts > 1e9:
		count = fmt.Sprintf("%.0e", s.Layouts)
	}
	text := fmt.Sprintf(how, count)
	if s.Gap > 0 && s.Gap < 1 { // a bound of zero says nothing
		text += fmt.Sprintf(" The best layout is at most %s%% better.", unit.Digits(100*s.Gap, 2))
	}
	return text
}

// places lists the objects by the device time that their move saves; of those that stay, the
// busiest.
func places(plan placement.Plan) prose.Block {
	t := prose.WordTable{Columns: []prose.Column{
		{Title: "Object"}, {Title: "Size", Right: true}, {Title: "From"}, {Title: "To"}, {Title: "Time/s before", Right: true}, {Title: "after", Right: true},
	}}
	all := fold(plan.Objects)
	weight := func(o placement.Placed) (moves int, time float64) {
		switch {
		case !o.Moves():
			return 1, o.After
		case o.From == "":
			return 0, o.After
		}
		return 0, o.Before - o.After
	}
	slices.SortStableFunc(all, func(a, b placement.Placed) int {
		movesA, timeA := weight(a)
		movesB, timeB := weight(b)
		return cmp.Or(cmp.Compare(movesA, movesB), cmp.Compare(timeB, timeA))
	})
	for _, o := range all[:min(len(all), mostShown)] {
		before := phrase.None
		if o.From != "" {
			before = deviceTime(o.Before)
		}
		from := o.From
		if from == "" {
			from = phrase.None
		}
		to := o.To
		if !o.Moves() {
			to = "stays"
		}
		t.Rows = append(t.Rows, []string{name(o.Name), o.Size.String(), from, to, before, deviceTime(o.After)})
	}
	if more := len(all) - mostShown; more > 0 {
		t.Rows = append(t.Rows, []string{unit.Count(more, "object") + " more", "", "", "", "", ""})
	}
	return t
}

func totals(plan placement.Plan) prose.Block {
	t := prose.Table{Columns: []prose.Column{{Title: "In all"}, {Title: "Before", Right: true}, {Title: "After", Right: true}}}
	row := func(title string, of func(placement.Totals) string) {
		before := phrase.None
		if plan.Before != nil {
			before = of(*plan.Before)
		}
		t.Rows = append(t.Rows, []string{title, before, of(plan.After)})
	}
	row("device time a second", func(t placement.Totals) string { return deviceTime(t.DeviceTime) })
	row("mean read", func(t placement.Totals) string { return phrase.Latency(float64(t.Read)) })
	row("durable write of the WAL", func(t placement.Totals) string { return phrase.Latency(float64(t.Commit)) })
	row("price a month", func(t placement.Totals) string { return dollars(t.Dollars) })
	return t
}

func dollars(d placement.Dollars) string {
	switch {
	case d.Known:
		return fmt.Sprintf("$%.2f", d.USD)
	case d.USD > 0:
		return fmt.Sprintf("$%.2f and more", d.USD)
	}
	return phrase.None
}

func stores(plan placement.Plan) prose.Block {
	t := prose.WordTable{Columns: []prose.Column{
		{Title: "Store"}, {Title: "Data", Right: true}, {Title: "Capacity", Right: true}, {Title: "IOPS", Right: true}, {Title: "of limit", Right: true},
		{Title: "Bytes", Right: true}, {Title: "of limit", Right: true}, {Title: "Margin", Right: true}, {Title: "Full in", Right: true}, {Title: "A month", Right: true},
	}}
	for _, s := range plan.Stores {
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%s (%s)", s.Store.Name, s.Store.Device.Name), s.After.Size.String(), percent(s.Use.Capacity),
			phrase.Count(s.After.Reads + s.After.Writes), percent(s.Use.IOPS), unit.Rate(s.After.Bytes).String(), percent(s.Use.Throughput),
			margin(s.Margin), full(s), dollars(s.Dollars),
		})
	}
	return t
}

func percent(part float64) string {
	if part == 0 {
		return phrase.None
	}
	return fmt.Sprintf("%.0f%%", 100*part)
}

func margin(factor float64) string {
	switch {
	case factor < 0:
		return phrase.None
	case factor >= 1000:
		return "over 1000x"
	case factor >= 10:
		return fmt.Sprintf("%.0fx", factor)
	}
	return fmt.Sprintf("%.1fx", factor)
}

func full(l placement.Load) string {
	if l.Full == 0 {
		return phrase.None
	}
	return span(l.Full)
}
