package division

import (
	"cmp"
	"slices"
	"strings"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Options selects what is shown.
type Options struct {
	Environments []string // in the order of all charts
	Brief        bool     // for a pull request: sentences and the table instead of the bars
	Links        bool     // allows links to runs: "#run=..."
}

// of is a record with its diagnosis.
type of struct {
	diagnosis.Overview
	rec     *record.Record
	words   experiment.Terms
	options Options
}

// Part shows where the time goes in each cell, its environments below one another. It is nil if no run counts.
func Part(rec *record.Record, options Options) prose.Document {
	overview, err := diagnosis.OfRecord(rec, "")
	if err != nil || len(overview.Cells) == 0 {
		return nil // other parts say so
	}
	o := of{overview, rec, experiment.TermsOf(rec.Summary.Engine), options}
	if !o.divided() {
		if options.Brief {
			return nil
		}
		return o.undivided()
	}
	var d prose.Document
	loads := o.loads()
	chosen := loads[len(loads)-1].name
	d.Add(prose.Paragraph(o.introduction()), o.choices(loads, chosen))
	for _, l := range loads {
		d = append(d, o.load(l, l.name == chosen, len(loads) > 1)...)
	}
	return d
}

func (o of) divided() bool {
	return slices.ContainsFunc(o.Cells, func(c diagnosis.CellOverview) bool {
		return slices.ContainsFunc(c.Environments, func(b diagnosis.Binding) bool { return b.Division != nil })
	})
}

// undivided says why nothing could be divided, each reason once.
func (o of) undivided() prose.Document {
	var reasons []string
	who := map[string][]string{}
	for _, c := range o.Cells {
		for _, b := range c.Environments {
			if who[b.Undivided] == nil {
				reasons = append(reasons, b.Undivided)
			}
			if !slices.Contains(who[b.Undivided], b.Environment) {
				who[b.Undivided] = append(who[b.Undivided], b.Environment)
			}
		}
	}
	const unknown = "It is not known where the time goes"
	if len(reasons) == 1 {
		return prose.Document{prose.Paragraph(unknown + ": " + reasons[0] + ".")}
	}
	var lines prose.List
	for _, why := range reasons {
		lines = append(lines, phrase.SomeOf(who[why])+": "+why)
	}
	return prose.Document{prose.Paragraph(unknown + ": the response time could not be divided."), prose.List(phrase.AtMost(lines))}
}

func (o of) introduction() string {
	text := o.words.Say("The mean response time of a transaction, divided into what it was spent on. ")
	if o.rec.Summary.Engine == experiment.EngineRedis {
		return text + "What remains is not explained."
	}
	return text + "CPU time and waiting for a CPU are counted, other waits are sampled, and what remains is not explained."
}

// load holds the cells of all workloads at the same load.
type load struct {
	name, title string // "c8-j1", "8 clients, 1 thread"
	cells       []diagnosis.CellOverview
}

// loads returns the loads, the highest last, with their cells.
func (o of) loads() []load {
	var all []load
	for _, c := range o.Cells {
		_, name, _ := strings.Cut(c.Path(), "/")
		at := slices.IndexFunc(all, func(l load) bool { return l.name == name })
		if at < 0 {
			at = len(all)
			all = append(all, load{name: name, title: strings.TrimPrefix(c.String(), c.Workload+", ")})
		}
		all[at].cells = append(all[at].cells, c)
	}
	slices.SortStableFunc(all, func(a, b load) int {
		x, y := a.cells[0].Cell, b.cells[0].Cell
		return cmp.Or(cmp.Compare(x.Rate, y.Rate), cmp.Compare(x.Clients, y.Clients), cmp.Compare(x.Threads, y.Threads))
	})
	return all
}

// choices lets the reader choose the load, as for the latency percentiles, and the scale.
func (o of) choices(loads []load, chosen string) prose.Choices {
	cell := prose.Choice{Name: "cell", Label: "Load", Chosen: chosen}
	for _, l := range loads {
		cell.Values, cell.Titles = append(cell.Values, l.name), append(cell.Titles, l.title)
	}
	scale := prose.Choice{Name: "scale", Label: "Bars show", Chosen: scaleTime}
	for _, s := range o.scales() {
		scale.Values, scale.Titles = append(scale.Values, s), append(scale.Titles, o.words.Say(scaleTitles[s]))
	}
	return prose.Choices{cell, scale}
}

// scales returns the scales of the bars. With many cells there is only one: a page has to fit into a mail.
func (o of) scales() []string {
	const many = 24
	if len(o.Cells) > many {
		return []string{scaleTime}
	}
	return []string{scaleTime, scaleShare}
}

// load shows the cells at a load: bars, what differs, and all numbers.
func (o of) load(l load, shown, several bool) (d prose.Document) {
	when := phrase.When(several, "cell=%s", l.name)
	for _, scale := range o.scales() {
		d.Add(o.picture(l, scale, phrase.Join(" ", when, "scale="+scale), shown && scale == scaleTime))
	}
	var body prose.Document
	if o.options.Brief {
		body.Add(o.sentences(l))
	}
	body.Add(o.differences(l))
	numbers := o.tables(l)
	numbers.Add(o.missing(l))
	if o.options.Brief {
		body = append(body, numbers...)
	} else {
		body.Add(prose.Folded{Title: "All parts in numbers", Body: numbers})
	}
	if !several {
		return append(d, body...)
	}
	return append(d, prose.Chosen{When: when, Shown: shown, Body: body})
}
