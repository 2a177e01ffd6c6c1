package report

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/chart"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/runpage"
)

// runs shows every run in chronological order, and the place where the page draws one of them
// second by second.
func (f *Full) runs(options FullOptions) prose.Document {
	if len(f.rec.Runs) == 0 || options.Brief {
		return nil
	}
	return prose.Document{f.order(options), explorer{}, prose.Folded{Title: "All " + phrase.Plural(len(f.rec.Runs), "run"), Body: prose.Document{f.runTable()}}}
}

// explorer is the place where the page's program draws runs second by second.
type explorer struct{}

func (explorer) Text(int) string  { return "" }
func (explorer) Markdown() string { return "" }
func (explorer) HTML() string {
	return `<div id="run-explorer"></div>` + "\n" +
		`<noscript><p class="notes">This page needs JavaScript to draw a run second by second. In a terminal, plinth show RECORD --run RUN prints it.</p></noscript>` + "\n"
}

// order plots the throughput of each run over time, to show drift and outliers.
func (f *Full) order(options FullOptions) prose.Picture {
	names := f.Environments()
	rate := f.show.Words().Rate
	o := chart.Order{Title: rate + " of each run in chronological order", YTitle: rate, YLog: f.farApart(), Names: names}
	counted := countedPaths(f.show.Counted)
	for _, w := range f.workloadsDriven() {
		panel := chart.OrderPanel{Title: w}
		for i := range f.rec.Runs {
			run := &f.rec.Runs[i]
			if run.Workload == w {
				panel.Runs = append(panel.Runs, f.orderRun(run, slices.Index(names, run.Environment), counted, options))
			}
		}
		o.Panels = append(o.Panels, panel)
	}
	p := prose.Picture{Name: "order", Shown: true, Whole: o.SVG, Caption: "Each run in chronological order. A cross is a run that is not counted: invalid, failed, or in a block that was left out."}
	for i := range o.Panels {
		p.SVGs = append(p.SVGs, o.PanelSVG(i))
	}
	return p
}

// farApart reports whether the cells of a workload differ so much in TPS that only a
// logarithmic axis shows the scatter of each.
func (f *Full) farApart() bool {
	const far = 4
	least, most := map[string]float64{}, map[string]float64{}
	for _, run := range f.show.Counted {
		tps := run.Result.TPS
		if least[run.Workload] == 0 || tps < least[run.Workload] {
			least[run.Workload] = tps
		}
		most[run.Workload] = max(most[run.Workload], tps)
	}
	for workload, tps := range most {
		if tps > far*least[workload] {
			return true
		}
	}
	return false
}

func (f *Full) orderRun(run *record.Run, index int, counted map[string]bool, options FullOptions) chart.OrderRun {
	o := chart.OrderRun{X: float64(run.Number), Y: run.Result.TPS, Index: max(index, 0)}
	fate := ""
	switch {
	case run.Status != record.Valid:
		o.Bad = string(run.Status)
		fate = ", " + o.Bad
	case !counted[run.Path()]:
		o.Bad = "left out"
		fate = ", its block is left out"
	}
	o.Text = fmt.Sprintf("run %d, %s: %s %s%s", run.Number, runpage.Path(run), phrase.Count(run.Result.TPS), f.show.Words().Rate, fate)
	if options.Links {
		o.Href = "#run=" + runpage.Path(run)
	}
	return o
}

func countedPaths(runs []record.Run) map[string]bool {
	paths := map[string]bool{}
	for _, run := range runs {
		paths[run.Path()] = true
	}
	return paths
}

// workloadsDriven returns the workloads with runs, the experiment's own in its order.
func (f *Full) workloadsDriven() []string {
	var names []string
	for _, w := range f.show.Workloads {
		names = append(names, w.Name)
	}
	var driven []string
	for _, run := range f.rec.Runs {
		if !slices.Contains(names, run.Workload) {
			names = append(names, run.Workload)
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(f.rec.Runs, func(r record.Run) bool { return r.Workload == name }) {
			driven = append(driven, name)
		}
	}
	return driven
}

// runTable lists every run, with its problems.
func (f *Full) runTable() prose.Table {
	t := prose.Table{Keys: 2, Looks: map[int]string{5: "status"}}
	rate := f.show.Words().Rate
	for _, title := range []string{"Run", "Environment", "Cell", "Repeat", rate, "Status", "Mean", "p99", "Why"} {
		right := slices.Contains([]string{"Run", "Repeat", rate, "Mean", "p99"}, title)
		t.Columns = append(t.Columns, prose.Column{Title: title, Right: right})
	}
	counted := countedPaths(f.show.Counted)
	for i := range f.rec.Runs {
		run := &f.rec.Runs[i]
		repeat := fmt.Sprint(run.Repeat)
		if run.Attempt > 1 {
			repeat += fmt.Sprintf(".%d", run.Attempt)
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(run.Number), f.show.Titled(run.Environment), run.Cell.Path(), repeat, phrase.Count(run.Result.TPS), string(run.Status),
			phrase.Latency(run.Result.Latency.Mean), phrase.Latency(float64(run.Result.Latency.P99)), whyNot(run, counted),
		})
	}
	return t
}

func whyNot(run *record.Run, counted map[string]bool) string {
	var texts []string
	for _, note := range run.Reasons {
		texts = append(texts, note.Text)
	}
	if texts == nil && !counted[run.Path()] {
		return "its block is left out"
	}
	return strings.Join(texts, "; ")
}
