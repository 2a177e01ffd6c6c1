package redis

import (
	"fmt"
	"strings"
	"time"

	"plinth/internal/telemetry"
)

// longestScan is how much of a line is read.
const longestScan = 4096

// NewLog returns a server log without lines, for a server whose log-format is legacy (the
// only one before Valkey 8.1). Its marks are of the kinds "aof-rewrite-start",
// "aof-rewrite-end", "rdb-save-start", "rdb-save-end", "aof-delayed-fsync", "full-resync",
// "replica-up", "replica-down" and "log".
func NewLog() *telemetry.Log {
	r := &logReader{begun: map[string]time.Time{}}
	return telemetry.NewLog(r.read)
}

// logReader remembers starts, so that the mark of an end has the duration.
type logReader struct {
	why   string // reason for the next rewrite or save
	begun map[string]time.Time
}

// message splits a line: "26642:M 22 Nov 2026 01:03:57.066 * Background saving started by
// pid 7" has the process, its role (M of a primary, S of a replica, C of a process that
// saves or rewrites), the time, a level (one of . - * #) and the text.
func message(line string) (role byte, text string) {
	if len(line) > longestScan {
		line = line[:longestScan]
	}
	pid, rest, found := strings.Cut(line, ":")
	if !found || pid == "" || strings.Trim(pid, "0123456789") != "" || rest == "" {
		return 0, ""
	}
	if after, is := strings.CutPrefix(rest, "signal-handler ("); is { // has another time format, and no level
		_, text, _ = strings.Cut(after, ") ")
		return 'M', text
	}
	for at := 1; at+2 < len(rest); at++ {
		if rest[at] == ' ' && strings.IndexByte(".-*#", rest[at+1]) >= 0 && rest[at+2] == ' ' {
			return rest[0], rest[at+3:]
		}
	}
	return 0, ""
}

// rule maps messages with a given start to marks on the timeline.
type rule struct {
	begin, kind string
	text        string // "": the message itself; for starts and ends, nothing
}

// rules are those of Redis 6.0 to 8 and Valkey (rdb.c, aof.c, replication.c, server.c). The
// first match counts; kind "" is a message to ignore.
var rules = []rule{
	{"Background saving started by pid", saveStart, ""},
	{"Background RDB transfer started by pid", saveStart, "to replicas"},
	{"Background saving terminated with success", saveEnd, ""},
	{"Background RDB transfer terminated with success", saveEnd, ""},
	{"Background saving ", saveEnd, "failed"}, // "error", "terminated by signal"
	{"Background transfer ", saveEnd, "failed"},
	{"Background RDB transfer ", saveEnd, "failed"},
	{"DB saved on disk", saveEnd, "by SAVE, which blocked the server"},
	{"Background append only file rewriting started by pid", rewriteStart, ""},
	{"Background AOF rewrite finished successfully", rewriteEnd, ""},
	{"Background AOF rewrite terminated with success", "", ""}, // the file is not in place yet
	{"Background AOF rewrite ", rewriteEnd, "failed"},
	{"Asynchronous AOF fsync is taking too long", delayed, "the disk is busy: the server writes without waiting for the sync"},

	{"Full resync requested by replica", fullResync, ""},
	{"Full resync from ", fullResync, "from the primary"},
	{"Synchronization with replica ", replicaUp, ""},
	{"Partial resynchronization request from ", replicaUp, ""},
	{"MASTER <-> REPLICA sync: Finished", replicaUp, "link to the primary"},
	{"PRIMARY <-> REPLICA sync: Finished", replicaUp, "link to the primary"},
	{"MASTER <-> REPLICA sync: Master accepted", replicaUp, "link to the primary"},
	{"PRIMARY <-> REPLICA sync: Primary accepted", replicaUp, "link to the primary"},
	{"Connection with replica (rdbchannel)", "", ""}, // accompanies the connection that counts
	{"Connection with replica ", replicaDown, ""},
	{"Connection with master lost", replicaDown, "link to the primary"},
	{"Connection with primary lost", replicaDown, "link to the primary"},
	{"Connection with slave ", replicaDown, ""},
	{"Synchronization with slave ", replicaUp, ""},
	{"Full resync requested by slave", fullResync, ""},
	{"Disconnecting timedout replica", telemetry.Logged, ""},

	{"Error writing to the AOF file", telemetry.Logged, ""},
	{"Short write while writing to the AOF file", telemetry.Logged, ""},
	{"Can't persist AOF for fsync error", telemetry.Logged, ""},
	{"Can't recover from AOF write error", telemetry.Logged, ""},
	{"AOF write error looks solved", telemetry.Logged, ""},
	{"Error trying to rename", telemetry.Logged, ""},
	{"Write error ", telemetry.Logged, ""},
	{"Failed opening ", telemetry.Logged, ""},
	{"Can't save in background", telemetry.Logged, ""},
	{"Can't rewrite append only file in background", telemetry.Logged, ""},
	{"Can't fork", telemetry.Logged, ""},
	{"Out Of Memory", telemetry.Logged, ""},
	{"Redis version=", telemetry.Logged, ""},
	{"Valkey version=", telemetry.Logged, ""},
	{"DB loaded from", telemetry.Logged, ""},
	{"Ready to accept connections", telemetry.Logged, "Ready to accept connections"},
	{"The server is now ready to accept connections", telemetry.Logged, "Ready to accept connections"},
	{"Received SIG", telemetry.Logged, ""},
	{"User requested shutdown", telemetry.Logged, ""},
	{"=== REDIS BUG REPORT START", telemetry.Logged, "the server crashed: see the bug report in its log"},
	{"=== VALKEY BUG REPORT START", telemetry.Logged, "the server crashed: see the bug report in its log"},
}

// reasons are the starts of messages that give the reason for the next save or rewrite.
var reasons = []struct{ begin, why string }{
	{"Starting automatic rewriting of AOF on ", ""}, // "100% growth" follows
	{"Starting BGSAVE for SYNC", "for a replica"},
}

// read returns the mark that a line puts on the timeline; "" for none.
func (r *logReader) read(at time.Time, line string) (kind, text string) {
	role, said := message(line)
	if said == "" {
		return "", ""
	}
	r.reason(said)
	if strings.HasPrefix(said, "Client ") && strings.Contains(said, "overcoming of output buffer limits") {
		return telemetry.Logged, "a client was disconnected because of its output buffer limit"
	}
	for _, rule := range rules {
		if !strings.HasPrefix(said, rule.begin) {
			continue
		}
		if role == 'C' && rule.kind != telemetry.Logged { // the server logs it when its child has exited
			return "", ""
		}
		return rule.kind, r.tell(at, rule, said)
	}
	return "", ""
}

// reason remembers the reason for the next start.
func (r *logReader) reason(said string) {
	if begin, _, is := strings.Cut(said, " seconds. Saving..."); is { // "1 changes in 3600"
		r.why = telemetry.Tidy(begin + " s")
	}
	for _, reason := range reasons {
		if rest, is := strings.CutPrefix(said, reason.begin); is {
			r.why = reason.why
			if r.why == "" {
				r.why = telemetry.Tidy(rest)
			}
		}
	}
}

// tell returns the text of a mark.
func (r *logReader) tell(at time.Time, rule rule, said string) string {
	what, isStart := strings.CutSuffix(rule.kind, "-start")
	if isStart && what != rule.kind {
		r.begun[what] = at
		text := join(rule.text, r.why)
		r.why = ""
		return text
	}
	if what, isEnd := strings.CutSuffix(rule.kind, "-end"); isEnd {
		took := ""
		if began, known := r.begun[what]; known {
			took = fmt.Sprintf("%.3f s", at.Sub(began).Seconds())
			delete(r.begun, what)
		}
		return join(rule.text, took)
	}
	if rule.text != "" {
		return rule.text
	}
	return telemetry.Tidy(said)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}
