package advising

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/advice"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// scaling says what binds, which resources have room, and what the dearer environments gained.
func scaling(a *advice.Advice) prose.Document {
	if len(a.Headroom) == 0 && len(a.Options) == 0 && len(a.Binds) == 0 {
		return nil
	}
	d := prose.Document{prose.Heading("When to scale up")}
	if len(a.Headroom) > 0 {
		d.Add(headroom(a), prose.Paragraph("Mean use of resources. An asterisk: no headroom left."))
	}
	lines := append(binds(a), fullResources(a)...)
	if len(lines) > 0 {
		d.Add(lines)
	}
	if len(a.Options) > 0 {
		d.Add(options(a), prose.Paragraph("Gains as measured between the environments of this record, the most for the money first; nothing is predicted."))
	}
	return d
}

// binds gives a line for each cell and cause, with the environments that it binds.
func binds(a *advice.Advice) prose.List {
	var lines prose.List
	for i, b := range a.Binds {
		same := func(o advice.Binding) bool { return o.Cell == b.Cell && o.Cause == b.Cause }
		if slices.IndexFunc(a.Binds, same) != i {
			continue
		}
		var shares []string
		for _, o := range a.Binds {
			if same(o) {
				shares = append(shares, o.Environment+" "+phrase.Percent(o.Share))
			}
		}
		lines = append(lines, fmt.Sprintf("bottleneck, %s: %s (%s of the response time)", b.Cell, b.Title, strings.Join(shares, ", ")))
	}
	return lines
}

// headroom is a table of the use of resources: a row for each environment and workload, a column for each
// resource whose use is known.
func headroom(a *advice.Advice) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "Environment"}, {Title: "Workload"}}, Keys: 2}
	for _, r := range advice.Resources() {
		known := func(h advice.Headroom) bool { return h.Figure == r.Figure }
		if slices.ContainsFunc(a.Headroom, known) {
			t.Columns = append(t.Columns, prose.Column{Title: r.Short, Right: true})
		}
	}
	for i, h := range a.Headroom {
		here := func(o advice.Headroom) bool { return o.Environment == h.Environment && o.Workload == h.Workload }
		if slices.IndexFunc(a.Headroom, here) != i {
			continue
		}
		row := []string{h.Environment, h.Workload}
		for _, column := range t.Columns[2:] {
			cell := phrase.None
			for _, o := range a.Headroom {
				if here(o) && o.Short == column.Title {
					cell = phrase.Percent(o.Use) + phrase.When(o.Full, " *")
				}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// fullResources gives a line for each resource without room, with the environments where it has none.
func fullResources(a *advice.Advice) prose.List {
	var lines prose.List
	for i, h := range a.Headroom {
		first := slices.IndexFunc(a.Headroom, func(o advice.Headroom) bool { return o.Full && o.Figure == h.Figure && o.Workload == h.Workload })
		if first != i {
			continue
		}
		var uses []string
		for _, o := range a.Headroom {
			if o.Full && o.Figure == h.Figure && o.Workload == h.Workload {
				uses = append(uses, o.Environment+" "+phrase.Percent(o.Use))
			}
		}
		limit := "Full from "
		if h.Below {
			limit = "Too low below "
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s. %s: %s", h.Resource, h.Workload, strings.Join(uses, ", "), limit+phrase.Percent(h.Limit), h.Then))
	}
	return lines
}

func options(a *advice.Advice) prose.Table {
	words := experiment.TermsOf(a.Engine)
	t := prose.Table{Columns: []prose.Column{
		{Title: "Workload"}, {Title: "Instead of"}, {Title: "Take"}, {Title: "more " + words.Rate, Right: true}, {Title: "more " + a.Currency, Right: true},
		{Title: words.Rate + " a " + a.Currency, Right: true}, {Title: "Verdict"},
	}}
	for _, o := range a.Options {
		outcome := string(o.Verdict.Outcome)
		if outcome == "" {
			outcome = phrase.None
		}
		t.Rows = append(t.Rows, []string{o.Workload, o.From, based(o.To, o.Basis), phrase.Count(o.Gain), unit.Grouped(float64(o.More), 2), phrase.Fine(o.PerMoney), outcome})
	}
	return t
}
