package validity

import (
	"fmt"
	"strings"

	"plinth/internal/record"
)

var serverReasons = []rule{{
	name:  "server-restarted",
	hint:  "see the server's log for why",
	needs: []string{"server.restarted"},
	check: func(c Case) string {
		if !c.Run.Evidence.Server.Restarted {
			return ""
		}
		return "the server was restarted during the run: its caches were empty, its connections lost"
	},
}}

var serverWarnings = []rule{
	{
		// Not no-checkpoint, which says of an environment that CHECKPOINT is not permitted.
		name:  "no-checkpoint-in-load",
		hint:  "checkpoint_timeout: 30s in settings, or measure for longer",
		needs: []string{"server.checkpoints_timed", "server.checkpoints_requested"},
		when:  func(c Case) bool { return writes(c.workload()) },
		check: noCheckpoint,
	},
	{
		name:  "autovacuum",
		hint:  "measure for so long that each run has its share of it, or autovacuum: off in settings",
		needs: []string{"server.autovacuums"},
		check: func(c Case) string {
			n := c.Run.Evidence.Server.Autovacuums
			if n <= 0 {
				return ""
			}
			return "autovacuum was at work during the load: " + count(n, "table")
		},
	},
	{
		name:  "autovacuum-neighbour",
		hint:  "autovacuum: off in settings keeps idle servers idle",
		needs: []string{"neighbours"},
		check: func(c Case) string {
			return busyNeighbours(c, "autovacuum was at work on idle servers: ", "table",
				func(n record.NeighbourEvidence) int64 { return n.Autovacuums })
		},
	},
	{
		name:  "checkpoint-neighbour",
		hint:  "a longer checkpoint_timeout in settings",
		needs: []string{"neighbours"},
		check: func(c Case) string {
			// Nothing tells before PostgreSQL 18 whether it was skipped: num_timed and
			// checkpoints_timed count those too (pg_stat_checkpointer).
			return busyNeighbours(c, "a checkpoint fell due on idle servers, which skip it only where nothing was written: ", "checkpoint",
				func(n record.NeighbourEvidence) int64 { return n.Timed })
		},
	},
}

// noCheckpoint: the checkpoint before the run leaves nothing to write, and the
// usual checkpoint_timeout of 5 min never passes in a run of a minute. What is
// measured is then a server that puts its writes off to when nobody looks.
func noCheckpoint(c Case) string {
	s := c.Run.Evidence.Server
	if s.Timed != 0 || s.Requested != 0 {
		return ""
	}
	timeout := ""
	if t := c.Environment.Settings["checkpoint_timeout"]; t != "" {
		timeout = " (checkpoint_timeout is " + t + ")"
	}
	return "no checkpoint fell into the load" + timeout + ": what a write costs later is not in these numbers"
}

// busyNeighbours names the servers that should have been idle and were not.
func busyNeighbours(c Case, text, noun string, of func(record.NeighbourEvidence) int64) string {
	var busy []string
	for _, n := range c.Run.Evidence.Neighbours {
		if of(n) > 0 {
			busy = append(busy, fmt.Sprintf("%s (%s)", n.Environment, count(of(n), noun)))
		}
	}
	if busy == nil {
		return ""
	}
	return text + strings.Join(busy, ", ")
}
