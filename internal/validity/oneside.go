package validity

import (
	"fmt"
	"strings"

	"plinth/internal/record"
)

// checkpointOneSide concerns loads that write: a server that only reads skips the
// checkpoints that fall due, and counts them all the same.
func checkpointOneSide(b block) string {
	if len(b.runs) == 0 || !writes(workloadNamed(b.experiment, b.runs[0].Workload)) {
		return ""
	}
	return b.oneSide("a timed checkpoint", "server.checkpoints_timed",
		func(e *record.Evidence) int64 { return e.Server.Timed })
}

func autovacuumOneSide(b block) string {
	return b.oneSide("autovacuum", "server.autovacuums",
		func(e *record.Evidence) int64 { return e.Server.Autovacuums })
}

// oneSide tells of what happened in some of the runs and not in others.
func (b block) oneSide(what, name string, of func(*record.Evidence) int64) string {
	var with, without []string
	for _, run := range b.runs {
		switch {
		case len(unread(run.Evidence, []string{name})) > 0:
			return ""
		case of(run.Evidence) > 0:
			with = append(with, fmt.Sprintf("%s (%d)", run.Environment, of(run.Evidence)))
		default:
			without = append(without, run.Environment)
		}
	}
	if with == nil || without == nil {
		return ""
	}
	return fmt.Sprintf("%s in %s and none in %s", what, strings.Join(with, ", "), strings.Join(without, ", "))
}
