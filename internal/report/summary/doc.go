// Package summary is what a terminal shows of a record: its numbers, how its environments
// compare and what its tuning did, as text, Markdown, CSV, JSON or benchmarks for benchstat.
package summary
