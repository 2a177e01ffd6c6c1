package advising

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/advice"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// scaling says which resources have room, and what the dearer environments gained.
func scaling(a *advice.Advice) prose.Document {
	if len(a.Headroom) == 0 && len(a.Options) == 0 {
		return nil
	}
	d := prose.Document{prose.Heading("When to scale up")}
	switch full := fullResources(a); {
	case len(full) > 0:
		d.Add(full)
	case len(a.Headroom) > 0:
		d.Add(prose.Paragraph("All resources whose use is known have room."))
	}
	if len(a.Options) > 0 {
		d.Add(options(a), prose.Paragraph("Gains as measured between the environments of this record, the most for the money first; nothing is predicted."))
	}
	return d
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
		from := "from " + phrase.Percent(h.Limit) + " on"
		if h.Below {
			from = "below " + phrase.Percent(h.Limit)
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s. There is no room %s: %s", h.Resource, h.Workload, strings.Join(uses, ", "), from, h.Then))
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
		t.Rows = append(t.Rows, []string{o.Workload, o.From, o.To, phrase.Count(o.Gain), phrase.Cents(float64(o.More)), phrase.Fine(o.PerMoney), outcome})
	}
	return t
}
