package load

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"plinth/internal/chart"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Curves shows throughput and latency at each load.
type Curves struct {
	*show.Numbers
	From      *record.Record
	Penalties []compare.Penalty // over all thread counts
}

// Throughput shows throughput and latency against clients, as charts and published tables, over
// all thread counts or with one of them.
func (cs Curves) Throughput() prose.Document {
	threads := cs.threads()
	var d prose.Document
	d.Add(prose.Choices{{Name: "shows", Label: "Shows", Values: []string{"tps", "latency", "p99"}, Chosen: "tps",
		Titles: []string{"throughput", "mean latency", "p99 latency"}}, threads})
	for _, metric := range []loadMetric{
		{"tps", cs.Words().Rate, func(r record.Run) float64 { return r.Result.TPS }},
		{"latency", "mean latency, ms", func(r record.Run) float64 { return r.Result.Latency.Mean / 1e6 }},
		{"p99", "p99 latency, ms", func(r record.Run) float64 { return float64(r.Result.Latency.P99) / 1e6 }},
	} {
		for _, n := range threads.Values {
			d.Add(cs.multiples(metric, n, threads))
		}
	}
	for _, n := range threads.Values {
		d.Add(cs.tables(n, n == threads.Chosen))
	}
	return d
}

// allThreads selects the mean over the thread counts.
const allThreads = "all"

// threads returns the choice of thread counts: the mean over all, and each.
func (cs Curves) threads() prose.Choice {
	c := prose.Choice{Name: "threads", Label: "Threads", Values: []string{allThreads}, Titles: []string{"mean over all"}, Chosen: allThreads}
	var counts []int
	for _, run := range cs.Counted {
		counts = append(counts, run.Threads)
	}
	slices.Sort(counts)
	counts = slices.Compact(counts)
	if len(counts) < 2 {
		return c
	}
	for _, n := range counts {
		c.Values, c.Titles = append(c.Values, strconv.Itoa(n)), append(c.Titles, strconv.Itoa(n))
	}
	return c
}

// loadMetric is a metric that is plotted against the load.
type loadMetric struct {
	name, title string
	of          func(record.Run) float64
}

// loadAxis is the load of a run on the horizontal axis: its clients, or its rate if only rates
// vary.
type loadAxis struct {
	title string
	of    func(record.Run) float64
}

func (cs Curves) axis() loadAxis {
	clients, rates := map[int]bool{}, map[float64]bool{}
	for _, run := range cs.Counted {
		clients[run.Clients], rates[run.Rate] = true, true
	}
	if len(rates) > 1 && len(clients) == 1 {
		return loadAxis{"rate, " + cs.Words().Units() + " a second", func(r record.Run) float64 { return r.Rate }}
	}
	return loadAxis{"clients", func(r record.Run) float64 { return float64(r.Clients) }}
}

// multiples returns a chart of a metric with a panel for each workload.
func (cs Curves) multiples(metric loadMetric, threads string, of prose.Choice) prose.Picture {
	axis := cs.axis()
	m := chart.Multiples{Title: metric.title + " against " + axis.title, XTitle: axis.title, YTitle: metric.title, XLog: true, YLog: metric.name != "tps"}
	for _, w := range cs.Workloads {
		m.Panels = append(m.Panels, cs.panel(w.Name, metric, axis, threads))
	}
	p := prose.Picture{
		Name: "throughput", When: "shows=" + metric.name, Shown: metric.name == "tps" && threads == of.Chosen,
		Whole:   m.SVG,
		Caption: metric.title + ". " + barNote(cs.Counted),
	}
	if metric.name != "tps" {
		p.Name = metric.name
	}
	if len(of.Values) > 1 {
		p.When += " threads=" + threads
		if threads != allThreads {
			p.Caption += " Only the cells with " + phrase.Plural(atoi(threads), "thread") + "."
		} else {
			p.Caption += " Mean over the thread counts."
		}
	}
	for i := range m.Panels {
		p.SVGs = append(p.SVGs, m.PanelSVG(i))
	}
	return p
}

func (cs Curves) panel(workload string, metric loadMetric, axis loadAxis, threads string) chart.Panel {
	p := chart.Panel{Title: workload}
	for i, e := range cs.Environments {
		s := chart.Series{Name: e.Name, Index: i, Basis: compare.BasisOf([]*record.Record{cs.From}, e.Name)}
		for _, x := range cs.loads(workload, axis, threads) {
			values := cs.blockMeans(e.Name, workload, axis, x, metric, threads)
			if len(values) == 0 {
				continue
			}
			mean, low, high := meanOver(values)
			s.Points = append(s.Points, chart.Point{X: x, Y: mean, Low: low, High: high,
				Text: fmt.Sprintf("%s, %s %s: %s (%s to %s, %s)", e.Name, phrase.Exact(x), axis.title,
					phrase.FourDigits(mean), phrase.FourDigits(low), phrase.FourDigits(high), phrase.Plural(len(values), "block"))})
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// loads returns the positions of a workload on the horizontal axis.
func (cs Curves) loads(workload string, axis loadAxis, threads string) []float64 {
	var all []float64
	for _, run := range cs.Counted {
		if run.Workload == workload && ofThreads(run, threads) {
			all = append(all, axis.of(run))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func ofThreads(run record.Run, threads string) bool {
	return threads == allThreads || threads == strconv.Itoa(run.Threads)
}

// blockMeans returns the means over the cells at one load, by repeat.
func (cs Curves) blockMeans(environment, workload string, axis loadAxis, x float64, metric loadMetric, threads string) []float64 {
	sums, counts := map[int]float64{}, map[int]int{}
	for _, run := range cs.Counted {
		if run.Environment == environment && run.Workload == workload && axis.of(run) == x && ofThreads(run, threads) {
			v := metric.of(run)
			if v == 0 && metric.name != "tps" { // an unknown latency of an import
				continue
			}
			sums[run.Repeat] += v
			counts[run.Repeat]++
		}
	}
	whole := slices.Max(append(slices.Collect(maps.Values(counts)), 0))
	var means []float64
	for repeat, sum := range sums {
		if counts[repeat] == whole { // others are means of other cells
			means = append(means, sum/float64(whole))
		}
	}
	slices.Sort(means)
	return means
}

// meansNote explains why these numbers differ from those of the verdicts.
const meansNote = "These are arithmetic means, as in published tables. The effects above are ratios of geometric means, which are less sensitive to outliers: where blocks vary a lot, the two kinds of mean differ."

// tables returns the published tables for a choice of threads.
func (cs Curves) tables(threads string, shown bool) prose.Block {
	numbers, penalties := cs.Numbers, cs.Penalties
	if threads != allThreads {
		if only, err := show.Gather(cs.From, atoi(threads), false); err == nil {
			numbers, penalties = only, nil
		}
	}
	var d prose.Document
	for _, e := range numbers.Environments {
		if len(e.Cells) == 0 {
			continue
		}
		t := numbers.ClientsTable(e)
		t.Title = e.Name
		if e.Server != "" {
			t.Title += " (" + e.Server + ", " + e.Transport + ")"
		}
		d.Add(t, prose.Paragraph(numbers.BlocksNote(e)))
	}
	title, summary := numbers.Averages()
	summary.Title = title
	d.Add(summary)
	d = append(d, compare.PenaltyTable(penalties, numbers.Words())...)
	d.Add(prose.Paragraph(meansNote), prose.Paragraph(numbers.OverallNote()), prose.Paragraph(numbers.LatencyNote()), prose.Paragraph(numbers.MissingNote()))
	return prose.Chosen{When: "threads=" + threads, Shown: shown, Body: d}
}

// atoi parses a number of threads that was just printed.
func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
