package redis

import (
	"fmt"
	"strings"
	"time"

	"plinth/internal/telemetry"
)

// The kinds of marks on the timeline.
const (
	rewriteStart = "aof-rewrite-start"
	rewriteEnd   = "aof-rewrite-end"
	saveStart    = "rdb-save-start"
	saveEnd      = "rdb-save-end"
	forked       = "fork"
	delayed      = "aof-delayed-fsync"
	evicting     = "eviction"
	replicaUp    = "replica-up"
	replicaDown  = "replica-down"
	fullResync   = "full-resync"
	misconf      = "misconf"
	restarted    = "restart"
	stall        = "stall"
)

// texts are the fields that hold words.
type texts struct {
	runID, role, link string
	aofWrite, rdbSave string
}

// take takes a field, and reports whether it is one of these.
func (t *texts) take(name, value string) bool {
	var kept *string
	switch name {
	case "run_id":
		kept = &t.runID
	case "role":
		kept = &t.role
	case "master_link_status":
		kept = &t.link
	case "aof_last_write_status":
		kept = &t.aofWrite
	case "rdb_last_bgsave_status":
		kept = &t.rdbSave
	default:
		return false
	}
	if *kept != value {
		*kept = strings.Clone(value) // otherwise the whole answer would stay in memory
	}
	return true
}

// before is the state at the previous reading.
type before struct {
	texts
	commands, evicted, resyncs float64
	evicting                   bool
	fed                        int
}

// mark marks changes since the previous reading, except those that the server's log shows
// with their exact time.
func (i *info) mark(at time.Time) {
	was, first := i.before, i.readings == 0
	evicted, resyncs, fed := i.value("evicted_keys"), i.value("sync_full"), i.replicas.fed()
	grown := evicted - was.evicted
	i.before = before{
		texts: i.texts, commands: i.value("total_commands_processed"),
		evicted: evicted, resyncs: resyncs, evicting: !first && grown > 0, fed: fed,
	}
	i.markRefusals(at, was, first)
	if first {
		return
	}
	if was.runID != i.texts.runID {
		i.board.Mark(at, restarted, "the server was restarted")
	}
	if i.before.evicting && !was.evicting {
		i.board.Mark(at, evicting, fmt.Sprintf("keys are evicted because of maxmemory: %.0f so far", grown))
	}
	if !i.server.settings.logged {
		i.markReplication(at, was)
	}
}

// markRefusals marks when the server starts and stops refusing writes.
func (i *info) markRefusals(at time.Time, was before, first bool) {
	for _, status := range []struct{ name, was, now, refused string }{
		{"aof_last_write_status", was.aofWrite, i.texts.aofWrite, "writes are refused (MISCONF) where appendonly is yes"},
		{"rdb_last_bgsave_status", was.rdbSave, i.texts.rdbSave, "writes are refused (MISCONF) where stop-writes-on-bgsave-error is yes and save is not empty"},
	} {
		switch {
		case status.now == status.was:
		case status.now == "err":
			i.board.Mark(at, misconf, status.name+" is err: "+status.refused)
		case !first && status.was == "err":
			i.board.Mark(at, misconf, status.name+" is ok again")
		}
	}
}

func (i *info) markReplication(at time.Time, was before) {
	now := i.before
	switch {
	case now.fed > was.fed:
		i.board.Mark(at, replicaUp, fmt.Sprintf("replicas online: %d", now.fed))
	case now.fed < was.fed:
		i.board.Mark(at, replicaDown, fmt.Sprintf("replicas online: %d", now.fed))
	}
	if now.resyncs > was.resyncs {
		i.board.Mark(at, fullResync, "full sync of a replica")
	}
	if now.role != "slave" || now.link == was.link {
		return
	}
	kind := replicaDown
	if now.link == "up" {
		kind = replicaUp
	}
	i.board.Mark(at, kind, "link to the primary: "+telemetry.Tidy(now.link))
}
