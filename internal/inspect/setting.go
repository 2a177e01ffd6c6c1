package inspect

import (
	"slices"
	"strconv"
	"time"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/host"
	"plinth/internal/unit"
)

var settingRules = []rule{
	{
		name: "shared-buffers", weight: 53, about: ofServer, check: sharedBuffers,
		benchmark:  "with so small a server cache, the run measures the kernel's page cache",
		production: "a quarter of the memory is a common starting point",
	},
	{
		name: "pending-restart", weight: 47, about: ofServer, check: pendingRestart,
		benchmark:  "the configuration file does not show the values in force",
		production: "the next restart, perhaps after a crash, changes these settings",
		do:         "restart the server, or revert the change",
	},
}

func sharedBuffers(in *Input) evidence {
	s, known := in.setting("shared_buffers")
	bytes, ok := s.Bytes()
	memory := in.Machine.Memory.Total
	if !in.Local || !known || !ok || bytes > int64(128*unit.MiB) || memory < int64(4*unit.GiB) {
		return nothing
	}
	quarter := max(1, memory/4/int64(unit.GiB))
	return found("shared_buffers is %s on a machine with %s of memory", s.Value, size(memory)).set(in, "shared_buffers", strconv.FormatInt(quarter, 10)+"GB")
}

func pendingRestart(in *Input) evidence {
	var names []string
	for _, s := range in.Server.Settings {
		if s.PendingRestart {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	if names == nil {
		return nothing
	}
	return found("changed, but not in force until a restart: %s", list(names))
}

var costRules = []rule{
	{
		name: "logs-every-statement", weight: 41, about: ofServer, check: logsEverything,
		benchmark:  "writing the server log puts an additional load on the disk, about as large as that of the benchmark",
		production: "the log fills the disk, and contains every statement that users ran",
	},
	{
		name: "random-page-cost", weight: 28, about: ofServer, check: randomPageCost,
		benchmark:  "the planner assumes a rotating disk and reads whole tables where an index is faster",
		production: "the same",
	},
	{
		name: "effective-io-concurrency", weight: 20, about: ofServer, check: ioConcurrency,
		benchmark:  "a bitmap scan reads one block at a time from flash",
		production: "the same",
	},
	{
		name: "io-timing", weight: 11, about: ofServer, check: ioTimingOff,
		benchmark:  "the server does not record how long it waits for reads and writes",
		production: "the same, for EXPLAIN (ANALYZE, BUFFERS) and pg_stat_statements; pg_test_timing measures what it costs on this machine, usually nothing",
	},
}

func logsEverything(in *Input) evidence {
	if s, known := in.setting("log_statement"); known && s.Value == "all" {
		return found("log_statement is \"all\": every statement is logged").set(in, "log_statement", "ddl")
	}
	if s, known := in.setting("log_min_duration_statement"); known && s.Value == "0" {
		return found("log_min_duration_statement is 0: every statement is logged").set(in, "log_min_duration_statement", "1s")
	}
	return nothing
}

// onFlash reports whether all disks of the data are known to be non-rotational.
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

var versionRules = []rule{
	{
		name: "version-unsupported", weight: 72, about: ofServer, check: unsupported,
		benchmark:  "later versions differ in the most expensive parts: WAL locks, snapshots, asynchronous reads",
		production: "security holes found since the last release remain open",
		do:         "plan the upgrade: pg_upgrade, or logical replication",
	},
	{
		name: "version-unknown", weight: 34, about: ofServer, check: unknownVersion,
		benchmark: "plinth does not know this version: the values that it reads may have another meaning",
		do:        "use PostgreSQL 13 to 18, or a version of plinth that supports this server",
	},
}

// lastRelease holds the date of the last release of each major version, past or planned.
// https://www.postgresql.org/support/versioning/
var lastRelease = map[int]string{
	10: "2022-11-10", 11: "2023-11-09", 12: "2024-11-21", 13: "2025-11-13", 14: "2026-11-12",
	15: "2027-11-11", 16: "2028-11-09", 17: "2029-11-08", 18: "2030-11-14",
}

func unsupported(in *Input) evidence {
	major := in.Server.VersionN / 10000
	last, known := lastRelease[major]
	if major > 0 && major < 10 {
		return found("PostgreSQL %s has had no release for years", in.Server.Version)
	}
	end, err := time.Parse(time.DateOnly, last)
	if !known || err != nil || in.Now.Before(end.AddDate(0, 0, 1)) {
		return nothing
	}
	return found("PostgreSQL %d had its last release in %s", major, end.Format("January 2006"))
}

func unknownVersion(in *Input) evidence {
	major := in.Server.VersionN / 10000
	if major >= install.OldestVersion && major <= install.NewestVersion {
		return nothing
	}
	return found("the server is PostgreSQL %s", in.Server.Version)
}
