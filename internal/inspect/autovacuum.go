package inspect

import (
	"plinth/internal/engine/postgres/examine"
)

var autovacuumRules = []rule{
	{
		name: "wraparound", weight: 90, about: ofServer, check: wraparound,
		benchmark:  "an anti-wraparound autovacuum of all tables is near, and it does not yield to other sessions",
		production: "near 2,100 million transactions the server refuses writes",
		do:         "vacuumdb --freeze {}; look for causes that hold vacuum back: old transactions, slots, prepared transactions",
	},
	{
		name: "autovacuum-off", weight: 78, about: ofServer, check: autovacuumOff,
		benchmark:  "each run starts with more dead rows than the one before",
		production: "tables bloat, plans degrade without statistics, and eventually an anti-wraparound autovacuum starts",
	},
	{
		name: "not-analyzed", weight: 49, about: ofServer, check: notAnalyzed,
		benchmark:  "plans are guesses, and change mid-run when autovacuum analyzes the tables",
		production: "plans are guesses",
		do:         "vacuumdb --analyze-in-stages {}",
	},
	{
		name: "table-autovacuum-off", weight: 45, about: ofServer, check: tableAutovacuumOff,
		benchmark:  "these tables bloat from run to run",
		production: "the same",
		do:         "ALTER TABLE {} RESET (autovacuum_enabled)",
	},
}

// farBehind is half of the 2 billion transactions before wraparound; autovacuum_freeze_max_age is
// 200 million by default.
// https://www.postgresql.org/docs/current/routine-vacuuming.html#VACUUM-FOR-WRAPAROUND
const farBehind = 1_000_000_000

func wraparound(in *Input) evidence {
	var oldest examine.DatabaseSize
	for _, d := range in.Server.Databases {
		if d.FrozenAge > oldest.FrozenAge {
			oldest = d
		}
	}
	if oldest.FrozenAge < farBehind {
		return nothing
	}
	return found("the oldest unfrozen transaction ID of database %s is %s transactions old", oldest.Name, millions(oldest.FrozenAge)).at(oldest.Name)
}

func autovacuumOff(in *Input) evidence {
	switch {
	case in.off("autovacuum"):
		return found("autovacuum is off").set(in, "autovacuum", "on")
	case in.off("track_counts"):
		return found("track_counts is off, and autovacuum does nothing without it").set(in, "track_counts", "on")
	}
	return nothing
}

func neglected(in *Input, holds func(examine.Neglected) bool) (names []string) {
	for _, n := range in.Server.Neglected {
		if holds(n) {
			names = append(names, n.Name)
		}
	}
	return names
}

func notAnalyzed(in *Input) evidence {
	names := neglected(in, func(n examine.Neglected) bool { return n.NotAnalyzed })
	if names == nil {
		return nothing
	}
	return found("ANALYZE never ran on %s in %s: %s", several(len(names), "table"), in.Server.Database, list(names)).at(in.Server.Database)
}

func tableAutovacuumOff(in *Input) evidence {
	names := neglected(in, func(n examine.Neglected) bool { return n.NoAutovacuum })
	if names == nil {
		return nothing
	}
	return found("autovacuum is off for %s in %s: %s", several(len(names), "table"), in.Server.Database, list(names)).on(names[0])
}
