package inspect

import (
	"time"

	"plinth/internal/engine/postgres/install"
)

var versionRules = []rule{
	{
		name: "version-unsupported", weight: 72, about: ofServer, check: unsupported,
		benchmark:  "later versions differ in what costs most: WAL locks, snapshots, asynchronous reads",
		production: "holes that were found since are open",
		do:         "plan the upgrade: pg_upgrade, or logical replication",
	},
	{
		name: "version-unknown", weight: 34, about: ofServer, check: unknownVersion,
		benchmark: "plinth does not know this version: what it reads there may mean something else",
		do:        "plinth knows PostgreSQL 13 to 18",
	},
}

// lastRelease is when the last release of a major version came, or will come.
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
