package breakdown

import (
	"slices"
	"strconv"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
	"plinth/internal/verdict"
)

// Clients lays the environments side by side at each number of clients and each rate, a table for
// each workload and metric.
//
// The form is that of Iwan Setiawan, "Bare Metal vs. AWS RDS: CPU/NUMA Pinning and HugePages",
// Per-Client Write TPS Breakdown.
type Clients struct {
	*source
	metrics []experiment.Metric
	values  []Value
	at      map[place]Value // the same values
}

// place is the place of a value in the tables.
type place struct {
	workload, metric, environment string
	clients                       int
	rate                          float64
}

// ByClients returns the values of a record at each load: of its chosen columns, or TPS and mean
// latency.
func ByClients(s *show.Numbers, rec *record.Record) (*Clients, error) {
	from, err := newSource(s, rec)
	if err != nil {
		return nil, err
	}
	c := &Clients{source: from, metrics: metricsOf(s, "tps", "latency"), at: map[place]Value{}}
	var quantities []verdict.Quantity
	for _, m := range c.metrics {
		for _, row := range s.Environments[0].Rows {
			quantities = append(quantities, verdict.Quantity{Metric: m.Name, Clients: row.Clients, Rate: row.Rate})
		}
	}
	c.values, err = from.values(quantities)
	for _, v := range c.values {
		c.at[place{v.Workload, v.Metric, v.Environment, v.Clients, v.Rate}] = v
	}
	return c, err
}

// metricsOf returns the metrics of the chosen columns, or those named.
func metricsOf(s *show.Numbers, names ...string) []experiment.Metric {
	var metrics []experiment.Metric
	for _, c := range s.Columns() {
		if !c.Metric.Money && !slices.Contains(metrics, c.Metric) { // a cost has no effect, nor a value a load
			metrics = append(metrics, c.Metric)
		}
	}
	if metrics != nil {
		return metrics
	}
	for _, name := range names {
		if m, err := experiment.ParseMetric(name); err == nil {
			metrics = append(metrics, m)
		}
	}
	return metrics
}

// Values returns all values, in the order of the tables.
func (c *Clients) Values() []Value { return c.values }

// Document returns a table for each workload and metric.
func (c *Clients) Document() prose.Document {
	var d prose.Document
	for _, w := range c.Workloads {
		for _, m := range c.metrics {
			if t := c.table(w, m); len(t.Rows) > 0 {
				d.Add(t)
			}
		}
	}
	if len(d) == 0 {
		d.Add(nothingToCompare)
	} else {
		d.Add(prose.Paragraph("* marks the best value of a row. In brackets: the effect against " + c.baseline +
			", with its interval where there are enough blocks. " + intervalNote))
	}
	return d
}

// intervalNote explains the intervals of effects that have no verdict.
const intervalNote = "Each interval is computed as if it were the only one; plinth compare gives the verdicts."

func (c *Clients) table(w show.Workload, m experiment.Metric) prose.Table {
	t := prose.Table{Title: c.MetricLabel(w.Name, m), Columns: []prose.Column{{Title: "Clients", Right: true}}, Keys: 1}
	rates := c.hasRates()
	if rates {
		t.Columns, t.Keys = append(t.Columns, prose.Column{Title: "Rate", Right: true}), 2
	}
	names := append([]string{c.baseline}, others(c.source)...)
	for _, name := range names {
		t.Columns = append(t.Columns, prose.Column{Title: c.Titled(name), Right: true})
	}
	for _, load := range c.Environments[0].Rows {
		row, known := []string{strconv.Itoa(load.Clients)}, false
		if rates {
			row = append(row, show.Rate(load.Rate))
		}
		for _, name := range names {
			text := c.field(w.Name, m, load, name)
			known = known || text != phrase.None
			row = append(row, text)
		}
		if known {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func (c *Clients) hasRates() bool {
	for _, v := range c.Environments[0].Rows {
		if v.Rate > 0 {
			return true
		}
	}
	return false
}

func others(from *source) []string {
	var names []string
	for _, p := range from.pairs {
		names = append(names, p.Other)
	}
	return names
}

// field returns a value as text: "*1,903 (+93 %)".
func (c *Clients) field(workload string, m experiment.Metric, load show.Row, environment string) string {
	v, known := c.at[place{workload, m.Name, environment, load.Clients, load.Rate}]
	if !known {
		return phrase.None
	}
	return markedText(v, m) + effectText(v.Effect, float64(c.Experiment.Margin))
}

func markedText(v Value, m experiment.Metric) string {
	text := show.ValueText(v.Value, m)
	if v.Best {
		return "*" + text
	}
	return text
}

// effectText returns the effect in brackets, with its interval if there is one: " (+93 %)",
// " (+93 %, 80 to 107 %)".
func effectText(effect *record.Verdict, margin float64) string {
	if effect == nil {
		return ""
	}
	text := compare.Effect(*effect, margin)
	if effect.Level > 0 {
		text += ", " + compare.Span(*effect, margin)
	}
	return " (" + text + ")"
}
