package validity

import (
	"plinth/internal/record"
	"plinth/internal/unit"
)

// What PostgreSQL does by itself.
var (
	timedCheckpoints = work{engine: "postgres", count: record.CheckpointsTimed, noun: "checkpoint"}
	autovacuums      = work{engine: "postgres", count: record.Autovacuums, noun: "table"}
)

var postgresWarnings = []rule{
	{
		// Not no-checkpoint, which says of an environment that CHECKPOINT is not permitted.
		name:   "no-checkpoint-in-load",
		hint:   "checkpoint_timeout: 30s in settings, or measure for longer",
		engine: "postgres",
		needs:  []string{ofServer + record.CheckpointsTimed, ofServer + record.CheckpointsRequested},
		when:   func(c Case) bool { return writes(c.workload()) },
		check:  noCheckpoint,
	},
	{
		name:   "autovacuum",
		hint:   "measure for so long that each run has its share of it, or autovacuum: off in settings",
		engine: "postgres",
		needs:  []string{ofServer + record.Autovacuums},
		check: func(c Case) string {
			n := c.Run.Evidence.Server.Counts[record.Autovacuums]
			if n <= 0 {
				return ""
			}
			return "autovacuum was at work during the load: " + unit.Count(n, "table")
		},
	},
	autovacuums.beside("autovacuum-neighbour", "autovacuum: off in settings keeps idle servers idle",
		"autovacuum was at work on idle servers: "),
	// Nothing tells before PostgreSQL 18 whether it was skipped: num_timed and
	// checkpoints_timed count those too (pg_stat_checkpointer).
	timedCheckpoints.beside("checkpoint-neighbour", "a longer checkpoint_timeout in settings",
		"a checkpoint fell due on idle servers, which skip it only where nothing was written: "),
}

var postgresPairs = []pairRule{
	// A server that only reads skips the checkpoints that fall due, and counts them
	// all the same.
	onlyWriting(timedCheckpoints.oneSide("checkpoint-one-side",
		"measure for so long that each run has its share of checkpoints, or checkpoint_timeout: 30s in settings",
		"a timed checkpoint", nil)),
	autovacuums.oneSide("autovacuum-one-side",
		"measure for so long that each run has its share of it, or autovacuum: off in settings", "autovacuum", nil),
}

// noCheckpoint: the checkpoint before the run leaves nothing to write, and the
// usual checkpoint_timeout of 5 min never passes in a run of a minute. What is
// measured is then a server that puts its writes off to when nobody looks.
func noCheckpoint(c Case) string {
	s := c.Run.Evidence.Server.Counts
	if s[record.CheckpointsTimed] != 0 || s[record.CheckpointsRequested] != 0 {
		return ""
	}
	timeout := ""
	if t := c.Environment.Settings["checkpoint_timeout"]; t != "" {
		timeout = " (checkpoint_timeout is " + t + ")"
	}
	return "no checkpoint fell into the load" + timeout + ": what a write costs later is not in these numbers"
}
