package layouts

import (
	"fmt"
	"strings"

	"plinth/internal/layout"
	"plinth/internal/placement"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

func (r Report) document() prose.Document {
	var d prose.Document
	d.Add(prose.Heading("Layout of "+r.Input.Name), prose.Paragraph(r.question()), prose.Paragraph(r.goal()))
	if !r.Meets() {
		var limits prose.List
		for _, v := range r.Plan.Violations {
			limits = append(limits, v.String())
		}
		d.Add(prose.Paragraph("No layout meets this goal. The one below exceeds the limits least:"), limits, prose.Paragraph(sentence(r.Plan.Nearest)), prose.Paragraph(r.enough()))
	}
	d.Add(r.volumes(), r.holds(), r.totals())
	d.Add(prose.Heading("Expected load of each disk"), r.disks(), prose.Paragraph(r.explain()), prose.Paragraph(r.PriceNote))
	d.Add(prose.Heading("Settings"), r.settings())
	d.Add(prose.Heading("To create it"), prose.Paragraph("plinth creates nothing. DEVICE-OF- stands for the path of a disk, which is not known yet."))
	for _, one := range r.Commands {
		d.Add(prose.Command(one))
	}
	d.Add(prose.Paragraph("Statements, once the tables exist:"))
	for _, one := range r.Statements {
		d.Add(prose.Command(one))
	}
	d.Add(prose.Heading("What limits it first"), r.limits())
	d.Add(prose.Heading("What a failure would lose"), prose.List(r.Durability), prose.List(r.Backup))
	if r.Published != nil {
		d = append(d, r.published()...)
	}
	if r.why {
		d.Add(prose.Heading("Why"), r.reasons())
	}
	notes := append(prose.List{}, r.Assumes...)
	notes = append(notes, r.Notes...)
	notes = append(notes, "latencies are those of an idle device, from its model: waiting times come on top as the use grows, and plinth probe measures an existing disk")
	d.Add(prose.Heading("What is assumed"), notes)
	return d
}

// question says what the layout is for.
func (r Report) question() string {
	now, later := r.sizes()
	text := fmt.Sprintf("%s of tables and indexes now, %s in %s; %s transactions a second, %s of which only read.",
		now, later, unit.Count(r.Input.Months, "month"), phrase.Count(r.Input.TPS), unit.Share(*r.Input.ReadShare))
	machine := "No instance is stated"
	if r.Input.Instance != "" {
		machine = "The instance is " + r.Input.Instance
	}
	standby := map[string]string{
		layout.NoStandby: "there is no standby", layout.AsyncStandby: "there is an asynchronous standby", layout.SyncStandby: "there is a synchronous standby",
	}[r.Input.Standby]
	return text + " " + machine + "; " + standby + "."
}

func (r Report) sizes() (now, later unit.Size) {
	for _, o := range r.Input.Objects {
		now += o.Size
		later += o.Size + o.Growth*unit.Size(r.Input.Months)
	}
	return now, later
}

func (r Report) goal() string {
	g := r.Plan.Goal
	text := "Goal: the " + string(g.Objective)
	if g.Objective == placement.LeastDollars {
		text += " of storage that carries this load"
	}
	if g.Budget > 0 {
		text += fmt.Sprintf(", at no more than %s a month", price.Dollars(g.Budget))
	}
	if g.Target > 0 {
		text += fmt.Sprintf(", with a mean read and a durable write of the WAL of at most %s each", unit.Duration(g.Target))
	}
	return text + "."
}

// enough names the instance whose limits suffice.
func (r Report) enough() string {
	if r.Instance == nil || r.Instance.Enough == "" {
		return ""
	}
	return fmt.Sprintf("The smallest instance of the family whose EBS limits suffice is %s.", r.Instance.Enough)
}

func (r Report) explain() string {
	return fmt.Sprintf("At most %s of a limit and %s of a size may be used: the size follows from the data in %s, in steps of 10GiB (16GiB for an array). The margin is the factor by which the load can grow before that share of a limit is used, and a disk is full when that share of its size is used.",
		placement.ShareOfRate, placement.ShareOfCapacity, unit.Count(r.Input.Months, "month"))
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return phrase.Capital(text) + "."
}

func dollars(d placement.Dollars) string {
	switch {
	case d.Known:
		return price.Dollars(d.USD)
	case d.USD > 0:
		return price.Dollars(d.USD) + " and more"
	}
	return phrase.None
}

// limits says what is used up first, and what the next step costs.
func (r Report) limits() prose.List {
	var lines prose.List
	l := r.Limit
	if l.Where != "" {
		text := fmt.Sprintf("%s of %s: the load can grow %s times", l.What, l.Where, factor(l.Factor))
		if l.Factor < 1 {
			text = fmt.Sprintf("%s of %s: it carries %.0f%% of the load", l.What, l.Where, 100*l.Factor)
		}
		lines = append(lines, text)
	}
	if l.Full != "" {
		lines = append(lines, fmt.Sprintf("%s is full in %.1f months", l.Full, l.Months))
	}
	for _, n := range r.Next {
		lines = append(lines, next(n))
	}
	return lines
}

func next(n layout.Next) string {
	if len(n.Exceeds) > 0 {
		var limits []string
		for _, v := range n.Exceeds {
			limits = append(limits, v.String())
		}
		return fmt.Sprintf("%s: no layout of these disks can do that (%s)", n.For, strings.Join(limits, "; "))
	}
	text := fmt.Sprintf("%s: %s a month", n.For, dollars(n.Dollars))
	switch {
	case n.More >= 0.005:
		text += fmt.Sprintf(", %s more", price.Dollars(n.More))
	case n.More <= -0.005:
		text += fmt.Sprintf(", %s less", price.Dollars(-n.More))
	default:
		text += ", the same price"
	}
	if len(n.Moves) > 0 {
		text += "; " + phrase.SomeOf(n.Moves)
	}
	return text
}

func factor(f float64) string {
	if f >= 10 {
		return phrase.Count(f)
	}
	return fmt.Sprintf("%.1f", f)
}
