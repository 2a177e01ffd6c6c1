package redisload

import "plinth/internal/metric"

// Metrics are the columns of points that requests make, in their order; those of
// schedule lags are there only with a rate. A mix has each again for every test, as
// "script.{script}." and the name.
func Metrics() []metric.Metric {
	return []metric.Metric{
		{Name: "tps", Kind: metric.Rate, Unit: "1/s", Help: "requests that were answered without an error in that second"},
		{Name: "latency_mean_ns", Kind: metric.Ratio, Unit: "ns", Help: "their mean latency; with a rate, from when they were due"},
		{Name: "latency_p50_ns", Unit: "ns", Help: "their median latency"},
		{Name: "latency_p95_ns", Unit: "ns", Help: "the 95th percentile"},
		{Name: "latency_p99_ns", Unit: "ns", Help: "the 99th percentile"},
		{Name: "latency_p99_9_ns", Unit: "ns", Help: "the 99.9th percentile"},
		{Name: "latency_max_ns", Unit: "ns", Help: "the slowest of them"},
		{Name: "failures", Kind: metric.Rate, Unit: "1/s", Help: "requests that the server answered with an error"},
		{Name: "schedule_lag_mean_ns", Kind: metric.Ratio, Unit: "ns", Help: "how long after they were due requests were sent, on average; with a rate only"},
		{Name: "schedule_lag_max_ns", Unit: "ns", Help: "the latest of them"},
	}
}
