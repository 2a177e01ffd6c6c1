// Package load shows throughput and latency at each load: charts against clients or rates, the
// published tables, and percentiles.
package load
