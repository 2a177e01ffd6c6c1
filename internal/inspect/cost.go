package inspect

import (
	"slices"

	"plinth/internal/host"
)

var costRules = []rule{
	{
		name: "logs-every-statement", weight: 41, about: ofServer, check: logsEverything,
		benchmark:  "the log is a second load on the disk, of about the size of the first",
		production: "the log fills the disk, and holds what people typed",
	},
	{
		name: "random-page-cost", weight: 28, about: ofServer, check: randomPageCost,
		benchmark:  "the planner thinks of a platter and reads whole tables where an index is faster",
		production: "the same",
	},
	{
		name: "effective-io-concurrency", weight: 20, about: ofServer, check: ioConcurrency,
		benchmark:  "a bitmap scan asks flash for one block at a time",
		production: "the same",
	},
	{
		name: "io-timing", weight: 11, about: ofServer, check: ioTimingOff,
		benchmark:  "the server cannot say how long it waits for reads and writes",
		production: "the same, for EXPLAIN (ANALYZE, BUFFERS) and pg_stat_statements; pg_test_timing says what it costs here, mostly nothing",
	},
}

func logsEverything(in *Input) evidence {
	if s, known := in.setting("log_statement"); known && s.Value == "all" {
		return found("log_statement is all: every statement is logged").set(in, "log_statement", "ddl")
	}
	if s, known := in.setting("log_min_duration_statement"); known && s.Value == "0" {
		return found("log_min_duration_statement is 0: every statement is logged").set(in, "log_min_duration_statement", "1s")
	}
	return nothing
}

// onFlash says whether all disks of the data are known not to rotate.
func onFlash(in *Input) bool {
	disks := in.disks("data")
	return len(disks) > 0 && !slices.ContainsFunc(disks, func(d host.Disk) bool { return d.Rotational })
}

func randomPageCost(in *Input) evidence {
	s, known := in.setting("random_page_cost")
	cost, ok := s.Number()
	if !known || !ok || cost < 4 || !onFlash(in) {
		return nothing
	}
	return found("random_page_cost is %s, and the data is on flash", s.Value).set(in, "random_page_cost", "1.1")
}

func ioConcurrency(in *Input) evidence {
	s, known := in.setting("effective_io_concurrency")
	n, ok := s.Number()
	if !known || !ok || n > 1 || !onFlash(in) {
		return nothing
	}
	return found("effective_io_concurrency is %s, and the data is on flash", s.Value).set(in, "effective_io_concurrency", "200")
}

func ioTimingOff(in *Input) evidence {
	if !in.off("track_io_timing") {
		return nothing
	}
	return found("track_io_timing is off").set(in, "track_io_timing", "on")
}
