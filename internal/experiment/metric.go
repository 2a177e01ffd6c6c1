package experiment

import (
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/metric"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// Metric is a quantity by which environments are compared.
type Metric struct {
	Name   string // as in the file: "tps", "p99", "p99-under-10ms"
	Title  string // for PostgreSQL: "TPS", "p99 latency"; Terms.Say translates it
	Higher bool   // higher is better
	Share  bool   // from 0 to 1, zero included: compared by difference, not by ratio
	Time   bool   // in nanoseconds
	Strict bool   // any difference matters: no margin
	Plain  bool   // neither direction is better: no verdict
	Figure bool   // a figure of a run, by this name (metric.Figures)
	Unit   string // of a figure: "1/s", "bytes", "bytes/s", "ns" or "1"
	Money  bool   // in US dollars; only for columns

	// Column and Under define a share of seconds: those whose value in this column of the points
	// (record.Points) is below Under.
	Column string
	Under  unit.Duration
}

// metrics holds the metrics of a whole run.
var metrics = []Metric{
	{Name: "tps", Title: "TPS", Higher: true},
	{Name: "latency", Title: "latency", Time: true},
	{Name: "p50", Title: "p50 latency", Time: true},
	{Name: "p95", Title: "p95 latency", Time: true},
	{Name: "p99", Title: "p99 latency", Time: true},
	{Name: "p99.9", Title: "p99.9 latency", Time: true},
	{Name: "failures", Title: "failed", Share: true, Strict: true},
}

// MostColumns is the maximum number of metrics that tables of environments show.
const MostColumns = 20

// secondColumns maps the metrics that support -under- to their columns of the points.
var secondColumns = map[string]string{
	"latency": "latency_mean_ns", "p50": "latency_p50_ns", "p95": "latency_p95_ns",
	"p99": "latency_p99_ns", "p99.9": "latency_p99_9_ns", "max": "latency_max_ns",
}

// MetricNames returns the names of all metrics; the last one is an example of the -under- form.
func MetricNames() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	return append(names, "p99-under-10ms")
}

// ParseMetric returns the metric with this name: a metric of a whole run, or one of its figures.
// "p99-under-10ms" is the share of seconds in which p99 was below 10 ms; latency, p50, p95, p99.9
// and max work the same way. rps is an alias of tps.
func ParseMetric(name string) (Metric, error) {
	name = PlainName(name)
	for _, m := range metrics {
		if m.Name == name {
			return m, nil
		}
	}
	if of, limit, found := strings.Cut(name, "-under-"); found {
		return underMetric(name, of, limit)
	}
	if f, known := metric.FigureNamed(name); known {
		return figureMetric(f)
	}
	return Metric{}, hint.Errorf(hint.DidYouMean(name, append(MetricNames(), metric.FigureNames()...),
		"it can be "+hint.Choice(append(MetricNames(), "a figure from docs/metrics.md"))), "there is no metric or figure %s", strictyaml.Quote(name))
}

// money holds what environments cost, for columns. Whatever the currency of the price book is, the names
// are these.
var money = []Metric{
	{Name: "usd-month", Title: "USD a month", Money: true, Plain: true},
	{Name: "usd-million", Title: "USD a million transactions", Money: true, Plain: true},
}

// ParseColumn returns the metric of a column of tables: one of ParseMetric, or a cost.
func ParseColumn(name string) (Metric, error) {
	for _, m := range money {
		if m.Name == name {
			return m, nil
		}
	}
	return ParseMetric(name)
}

// figureMetric returns a figure of a run as a metric.
func figureMetric(f metric.Figure) (Metric, error) {
	if f.Moment {
		return Metric{}, hint.Errorf("use plinth show RECORD --run RUN to see it",
			"%s is a point in time within a run, and cannot be compared", f.Name)
	}
	return Metric{
		Name: f.Name, Title: f.Title, Higher: f.Better == metric.Higher, Share: f.Share, Time: f.Unit == "ns",
		Plain: f.Better == metric.Neither, Figure: true, Unit: f.Unit,
	}, nil
}

func underMetric(name, of, limit string) (Metric, error) {
	column, known := secondColumns[of]
	under, err := unit.ParseDuration(limit)
	if !known || err != nil || under == 0 {
		return Metric{}, hint.Errorf("write it as p99-under-10ms", "there is no metric or figure %s", strictyaml.Quote(name))
	}
	return Metric{
		Name: name, Title: "seconds with " + of + " under " + under.String(),
		Higher: true, Share: true, Column: column, Under: under,
	}, nil
}

// CompareAll is the entry of compare that stands for every pair of environments, for every workload.
const CompareAll = "all"

// ComparesAll reports whether every pair of environments must be decided. Of two environments there is
// only one pair, so that is not the case.
func (e *Experiment) ComparesAll() bool {
	return slices.Contains(e.Compare, CompareAll) && len(e.Environments) > 2
}

// Compares reports whether the comparison of an environment with a baseline must be decided for a
// workload.
func (e *Experiment) Compares(workload, baseline, environment string) bool {
	switch {
	case e.ComparesAll():
		return true
	case baseline != e.Baseline:
		return false
	case len(e.Compare) == 0 && len(e.Screened()) > 0:
		return environment == AblationNone // the other environments only serve the effects of the groups
	case len(e.Compare) == 0 || slices.Contains(e.Compare, CompareAll):
		return true
	}
	return slices.Contains(e.Compare, workload) || slices.Contains(e.Compare, workload+"/"+environment)
}

// PlainName returns the name of a metric as records store it: rps becomes tps, and rps-peak becomes
// tps-peak.
func PlainName(name string) string {
	if rest, is := strings.CutPrefix(name, "rps"); is && (rest == "" || rest[0] == '-') {
		return "tps" + rest
	}
	return name
}
