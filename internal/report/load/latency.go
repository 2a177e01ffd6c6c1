package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Latency shows the latency percentiles of each workload at one load, as curves and as a table.
// It shows the highest load first, at which a stall affects most clients.
func (cs Curves) Latency() prose.Document {
	loads := cs.cellLoads()
	if len(loads) == 0 {
		return nil
	}
	choose := prose.Choice{Name: "cell", Label: "Load", Chosen: loads[len(loads)-1].name}
	for _, load := range loads {
		choose.Values, choose.Titles = append(choose.Values, load.name), append(choose.Titles, load.title)
	}
	d := prose.Document{prose.Choices{choose}}
	for _, load := range loads {
		shown := load.name == choose.Chosen
		d.Add(cs.curves(load, shown), prose.Chosen{When: "cell=" + load.name, Shown: shown, Body: prose.Document{cs.percentileTable(load)}})
	}
	d.Add(prose.Paragraph("Percentiles are those of the merged histograms of all runs that count. " + phrase.Capital(cs.LatencyNote()[len("Lat: "):])))
	return d
}

// cellLoad is the load of a cell, independent of its workload.
type cellLoad struct {
	name, title string // "c8-j1", "8 clients, 1 thread"
	cell        experiment.Cell
}

// cellLoads returns the loads with latencies, the highest last.
func (cs Curves) cellLoads() []cellLoad {
	var loads []cellLoad
	for _, e := range cs.Environments {
		for _, c := range e.Cells {
			_, name, _ := strings.Cut(c.Path(), "/")
			known := slices.ContainsFunc(loads, func(l cellLoad) bool { return l.name == name })
			if c.Distribution != nil && !known {
				title := strings.TrimPrefix(c.String(), c.Workload+", ")
				loads = append(loads, cellLoad{name, title, c.Cell})
			}
		}
	}
	slices.SortStableFunc(loads, func(a, b cellLoad) int {
		return cmp.Or(cmp.Compare(a.cell.Rate, b.cell.Rate), cmp.Compare(a.cell.Clients, b.cell.Clients), cmp.Compare(a.cell.Threads, b.cell.Threads))
	})
	return loads
}

// at returns the cell of a workload under this load, in one environment.
func (l cellLoad) at(e show.Environment, workload string) (show.Cell, bool) {
	want := l.cell
	want.Workload = workload
	at := slices.IndexFunc(e.Cells, func(c show.Cell) bool { return c.Cell == want })
	if at < 0 {
		return show.Cell{}, false
	}
	return e.Cells[at], true
}

func (cs Curves) curves(load cellLoad, shown bool) prose.Picture {
	m := chart.Percentiles{Title: "Latency percentiles, " + load.title, YTitle: "latency, ms", YLog: true, Unit: cs.Words().Unit}
	for _, w := range cs.Workloads {
		panel := chart.CurvePanel{Title: w.Name}
		for i, e := range cs.Environments {
			if c, found := load.at(e, w.Name); found && c.Distribution != nil {
				panel.Curves = append(panel.Curves, chart.Curve{Name: e.Name, Index: i, Basis: compare.BasisOf([]*record.Record{cs.From}, e.Name), Count: c.Distribution.Count, Points: c.Distribution.Points})
			}
		}
		if len(panel.Curves) > 0 {
			m.Panels = append(m.Panels, panel)
		}
	}
	p := prose.Picture{Name: "percentiles", When: "cell=" + load.name, Shown: shown, Whole: m.SVG, Caption: fmt.Sprintf("Latency percentiles at %s. A curve ends where ten %s remain; the maximum is in the table.", load.title, cs.Words().Units())}
	for i := range m.Panels {
		p.SVGs = append(p.SVGs, m.PanelSVG(i))
	}
	return p
}

func (cs Curves) percentileTable(load cellLoad) prose.Table {
	t := prose.Table{Title: "Latency at " + load.title, Keys: 2, Columns: []prose.Column{{Title: "Workload"}, {Title: "Environment"}}}
	for _, title := range []string{"p50", "p95", "p99", "p99.9", "greatest", "blocks"} {
		t.Columns = append(t.Columns, prose.Column{Title: title, Right: true})
	}
	for _, w := range cs.Workloads {
		for _, e := range cs.Environments {
			c, found := load.at(e, w.Name)
			if !found || c.Percentiles == nil {
				continue
			}
			row := []string{w.Name, e.Title()}
			for _, ns := range []int64{c.Percentiles.P50, c.Percentiles.P95, c.Percentiles.P99, c.Percentiles.P999, c.Percentiles.Max} {
				row = append(row, phrase.Latency(float64(ns)))
			}
			t.Rows = append(t.Rows, append(row, phrase.Count(float64(c.Blocks))))
		}
	}
	return t
}
