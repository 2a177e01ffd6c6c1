package redisbench

import "plinth/internal/metric"

// Metrics are the columns of points that redis-benchmark's lines of progress make, in
// their order. Those of versions before 6.2 tell the first alone.
func Metrics() []metric.Metric {
	return []metric.Metric{
		{Name: "tps", Kind: metric.Rate, Unit: "1/s", Help: "requests that were answered in that second"},
		{Name: "latency_mean_ns", Kind: metric.Ratio, Unit: "ns", Help: "their mean latency"},
	}
}
