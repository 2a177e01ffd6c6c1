package experiment

import (
	"testing"

	"plinth/internal/hint"
	"plinth/internal/metric"
)

func TestMetrics(t *testing.T) {
	for _, name := range MetricNames() {
		m, err := ParseMetric(name)
		if err != nil || m.Name != name || m.Title == "" {
			t.Errorf("ParseMetric(%q) = %+v, %v", name, m, err)
		}
		if wantHigher := name == "tps" || m.Column != ""; m.Higher != wantHigher {
			t.Errorf("%s: more is better: %v", name, m.Higher)
		}
	}
	m, err := ParseMetric("max-under-1.5ms")
	if err != nil || m.Column != "latency_max_ns" || m.Under.String() != "1.5ms" || !m.Share || m.Title != "seconds with max under 1.5ms" {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestMetricsThatAreNone(t *testing.T) {
	for name, want := range map[string]string{
		"tsp":             "did you mean tps?",
		"p99-under-10":    "write it as p99-under-10ms",
		"p98-under-10ms":  "write it as p99-under-10ms",
		"p99-under-0s":    "write it as p99-under-10ms",
		"wall":            "it can be tps, latency, p50, p95, p99, p99.9, failures, p99-under-10ms or a figure from docs/metrics.md",
		"tps-variatoin":   "did you mean tps-variation?",
		"tps-peak-second": "use plinth show RECORD --run RUN to see it",
		"wait.IO":         "did you mean wait.CPU?",
		metric.Wait:       "it can be tps, latency, p50, p95, p99, p99.9, failures, p99-under-10ms or a figure from docs/metrics.md",
	} {
		if _, err := ParseMetric(name); hint.Of(err) != want {
			t.Errorf("ParseMetric(%q): %v, hint %q, want %q", name, err, hint.Of(err), want)
		}
	}
}

// TestFiguresAreMetrics checks that every figure in the catalog, except moments, is a metric.
func TestFiguresAreMetrics(t *testing.T) {
	for _, name := range append(metric.FigureNames(), "wait.IO.WALSync") {
		f, _ := metric.FigureNamed(name)
		m, err := ParseMetric(name)
		if err != nil || m.Name != name || m.Title != f.Title || !m.Figure || m.Share != f.Share || m.Unit != f.Unit {
			t.Errorf("ParseMetric(%q) = %+v, %v", name, m, err)
		}
		if m.Higher != (f.Better == metric.Higher) || m.Plain != (f.Better == metric.Neither) || m.Time != (f.Unit == "ns") {
			t.Errorf("%s is %+v, and in the catalog %+v", name, m, f)
		}
	}
}

func TestMetricsHaveOneMeaning(t *testing.T) {
	for _, name := range MetricNames() {
		if _, known := metric.FigureNamed(name); known {
			t.Errorf("%s is a metric, and a figure as well", name)
		}
	}
}
