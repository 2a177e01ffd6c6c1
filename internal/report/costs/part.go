package costs

import (
	"fmt"
	"slices"
	"time"

	"plinth/internal/chart"
	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Part returns the part of a report about costs: a map of cost against throughput and p99, the table,
// which environments nothing beats, and the bills. It is nil if the experiment does not say what is paid, or
// no environment has a price. Environments gives the order, which selects the colours.
func Part(rec *record.Record, environments []string, now time.Time) prose.Document {
	e, err := rec.Experiment()
	if err != nil || !priced(e) {
		return nil
	}
	s, err := cost.NewSheet(e, rec, cost.Books{}, false)
	if err != nil {
		if e.Cost.There() {
			return prose.Document{prose.Paragraph("There are no bills: " + err.Error() + ".")}
		}
		return nil
	}
	if !slices.ContainsFunc(s.Rows, func(r cost.Row) bool { return r.Month.Known() }) {
		return nil
	}
	s.Age(now)
	d := prose.Document{prose.List(answers(s))}
	d.Add(prose.Choices{{Name: "cost", Label: "Against cost", Values: []string{"tps", "p99"}, Titles: []string{"throughput", "p99 latency"}, Chosen: "tps"}})
	for _, quantity := range []string{"tps", "p99"} {
		if p := costMap(s, environments, quantity); len(p.SVGs) > 0 {
			d.Add(p)
		}
	}
	for _, t := range rows(s) {
		d.Add(t)
	}
	d.Add(prose.Paragraph(rowsNote(s)))
	d.Add(fronts(s)...)
	d.Add(evens(s)...)
	d.Add(hours(s)...)
	d.Add(prose.Folded{Title: "Bills", Body: bills(s)[1:]})
	if len(s.Notes) > 0 {
		d.Add(prose.Heading("What weakens these numbers"), prose.List(s.Notes))
	}
	return d
}

// priced reports whether an experiment says what is paid: with cost, or with the instance of an environment.
func priced(e *experiment.Experiment) bool {
	return e.Cost.There() || slices.ContainsFunc(e.Environments, func(env experiment.Environment) bool { return env.Instance != "" || env.Cost.There() })
}

// costMap returns a picture of one quantity against cost: a panel a workload, a point an environment.
func costMap(s *cost.Sheet, environments []string, quantity string) prose.Picture {
	title := map[string]string{"tps": "TPS", "p99": "p99 latency, ms"}[quantity]
	m := chart.Multiples{Title: title + " against cost", XTitle: s.Currency + " a month", YTitle: title, XLog: true, YLog: true, Free: true}
	p := prose.Picture{Name: "cost", When: "cost=" + quantity, Shown: quantity == "tps", Caption: fmt.Sprintf(
		"%s against cost a month, both logarithmic. Bars are 95 %% intervals over the blocks, or their range. The dashed line connects the environments that nothing beats; those of unknown cost are left out.", title)}
	for _, of := range places(s) {
		panel := chart.Panel{Title: of.name}
		on := frontOf(s, of, quantity)
		for _, r := range of.rows {
			v, unit := r.TPS, 1.0
			if quantity == "p99" {
				v, unit = r.P99, 1e6
			}
			if !r.Month.Known() || !v.Known() {
				continue
			}
			point := chart.Point{X: float64(r.Month), Y: v.Value / unit, Low: v.Low / unit, High: v.High / unit}
			point.Text = fmt.Sprintf("%s: %s a month, %s %s (%s to %s, %s)", r.Environment, r.Month.In(s.Currency), phrase.FourDigits(point.Y), title,
				phrase.FourDigits(point.Low), phrase.FourDigits(point.High), phrase.Plural(v.N, "block"))
			panel.Series = append(panel.Series, chart.Series{Name: r.Environment, Index: max(0, slices.Index(environments, r.Environment)), Basis: basis(s, r.Environment), Points: []chart.Point{point}})
			if slices.Contains(on, r.Environment) {
				panel.Front = append(panel.Front, point)
			}
		}
		slices.SortFunc(panel.Front, func(a, b chart.Point) int { return int(1e3 * (a.X - b.X)) })
		if len(panel.Series) > 0 {
			m.Panels = append(m.Panels, panel)
		}
	}
	p.Whole = m.SVG
	for i := range m.Panels {
		p.SVGs = append(p.SVGs, m.PanelSVG(i))
	}
	return p
}

// frontOf returns the environments of a workload that nothing beats.
func frontOf(s *cost.Sheet, of place, quantity string) []string {
	var on []string
	for _, f := range s.Fronts {
		if f.Quantity != quantity || f.Workload != of.rows[0].Workload || f.Cell != of.rows[0].Cell {
			continue
		}
		for _, c := range f.Choices {
			if c.Standing == cost.OnFront {
				on = append(on, c.Environment)
			}
		}
	}
	return on
}

func basis(s *cost.Sheet, name string) chart.Basis {
	for _, e := range s.Environments {
		if e.Name == name {
			return chart.Basis(e.Basis)
		}
	}
	return ""
}
