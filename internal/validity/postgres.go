package validity

import (
	"fmt"
	"math"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// Background work of PostgreSQL.
var (
	timedCheckpoints = work{engine: "postgres", count: record.CheckpointsTimed, noun: "checkpoint"}
	autovacuums      = work{engine: "postgres", count: record.Autovacuums, noun: "table"}
)

// RuleBuffersFree is the rule for shared buffers that were used for the first time while a run was measured.
const RuleBuffersFree = "buffers-free"

var postgresWarnings = []rule{
	{
		// Not "no-checkpoint": that is the note on an environment where CHECKPOINT is not permitted.
		name:   "no-checkpoint-in-load",
		hint:   "set checkpoint_timeout: 30s in settings, or measure longer",
		engine: "postgres",
		needs:  []string{ofServer + record.CheckpointsTimed, ofServer + record.CheckpointsRequested},
		when:   func(c Case) bool { return writes(c.workload()) && !isShort(c) }, // short says it
		check:  noCheckpoint,
	},
	{
		name:   RuleBuffersFree,
		hint:   "use a longer warmup, so that shared_buffers are in use before the measurement begins",
		engine: "postgres",
		when:   func(c Case) bool { return writes(c.workload()) && !isShort(c) }, // short says it
		check:  buffersFree,
	},
	{
		name:   "autovacuum",
		hint:   "measure long enough for every run to include autovacuum, or set autovacuum: off in settings",
		engine: "postgres",
		needs:  []string{ofServer + record.Autovacuums},
		check: func(c Case) string {
			n := c.Run.Evidence.Server.Counts[record.Autovacuums]
			if n <= 0 {
				return ""
			}
			return "autovacuum ran during the load: " + unit.Count(n, "table")
		},
	},
	autovacuums.onIdle("autovacuum-neighbour", "set autovacuum: off in settings to keep idle servers idle",
		"autovacuum ran on idle servers during the load: "),
	timedCheckpoints.onIdle("checkpoint-neighbour", "set a longer checkpoint_timeout in settings",
		"timed checkpoints ran on idle servers during the load: "),
}

var postgresPairs = []pairRule{
	// A server under a read-only load skips timed checkpoints, since it wrote nothing.
	onlyWriting(timedCheckpoints.oneSide("checkpoint-one-side",
		"measure long enough for every run to include checkpoints, or set checkpoint_timeout: 30s in settings",
		"a timed checkpoint", nil)),
	autovacuums.oneSide("autovacuum-one-side",
		"measure long enough for every run to include autovacuum, or set autovacuum: off in settings", "autovacuum", nil),
}

// noCheckpoint reports a load without any checkpoint. The checkpoint before the run leaves
// no dirty buffers, and the default checkpoint_timeout of 5 min does not expire in a run of
// a minute, so the server defers its writes until after the measurement.
func noCheckpoint(c Case) string {
	s := c.Run.Evidence.Server.Counts
	if s[record.CheckpointsTimed] != 0 || s[record.CheckpointsRequested] != 0 {
		return ""
	}
	timeout := ""
	if t := c.Environment.Settings["checkpoint_timeout"]; t != "" {
		timeout = " (checkpoint_timeout is " + t + ")"
	}
	return "no checkpoint ran during the load" + timeout + ": these numbers omit the deferred cost of writes"
}

// filledShare is the share of shared buffers from which their first use within the window is reported. Tables that grow use
// free buffers, too, but fewer.
const filledShare = 0.05

// buffersFree reports a server whose shared buffers were used for the first time within the window: while some are free, no
// block that is read takes the place of another, which would have to be written first. Throughput may halve when the last one
// is used. If all data are in shared buffers, some remain free, and nothing is reported.
func buffersFree(c Case) string {
	first, last, out := math.NaN(), math.NaN(), -1.0
	second, free := column(c, "second"), column(c, "buffers_free")
	for i := range min(len(second), len(free)) {
		if second[i] < 0 || math.IsNaN(free[i]) {
			continue
		}
		if math.IsNaN(first) {
			first = free[i]
		}
		if last = free[i]; last == 0 && out < 0 {
			out = second[i]
		}
	}
	switch {
	case !(first-last >= filledShare):
		return ""
	case out >= 0:
		return fmt.Sprintf("%s of shared_buffers were still free when the measurement began, until second %.0f: before, no page had to be written to make room for another", percent(first), out)
	}
	return fmt.Sprintf("%s of shared_buffers were still free when the measurement began, and %s when it ended: no page had to be written to make room for another", percent(first), percent(last))
}
