package postgres

import (
	"fmt"
	"strings"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// Only members of pg_read_all_stats can see sessions of other roles; for others these have
// no state and no type. Such sessions that have a user and a database count as unseen:
// their activity is unknown, in whichever database. backend_type distinguishes the rest: an
// autovacuum worker is a session in a database without a user, which is visible without
// rights.
// https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ACTIVITY-VIEW
const (
	client    = "backend_type = 'client backend' AND application_name IS DISTINCT FROM 'plinth'"
	unseen    = "backend_type IS NULL AND usesysid IS NOT NULL AND application_name IS DISTINCT FROM 'plinth' AND datid IS NOT NULL"
	vacuuming = "coalesce(backend_type = 'autovacuum worker', usesysid IS NULL AND datid IS NOT NULL)"
)

// activity returns the sessions without role and database names, which the view looks up
// for each: with a hundred clients that is a third of its cost.
const activity = "pg_stat_get_activity(NULL)"

// states are columns, and the session states that each counts.
var states = []struct{ name, sql, help string }{
	{"active", "state IN ('active', 'fastpath function call')", "Sessions that executed something"},
	{"idle", "state = 'idle'", "Sessions that waited for their client outside of a transaction"},
	{"idle in transaction", "state LIKE 'idle in transaction%'", "Sessions that waited for their client within a transaction, failed ones included"},
}

// sessions counts sessions by state, and autovacuum workers.
type sessions struct {
	log   *telemetry.Log
	slots []telemetry.Slot // of states, then of workers

	vacuums map[string]bool // what autovacuum did at the previous reading; nil before the first
}

var (
	sessionStates = metric.Metric{
		Name: "sessions.{state}", Kind: metric.Gauge, Unit: "1", Source: "pg_stat_activity", Doc: statisticsDoc + "pg_stat_activity",
		Help: "Client sessions by state (active, idle, idle in transaction), in all databases, without plinth's own.",
	}
	vacuumWorkers = metric.Metric{
		Name: "autovacuum.workers", Kind: metric.Gauge, Unit: "1", Source: "pg_stat_activity", Doc: statisticsDoc + "pg_stat_activity",
		Help: "Autovacuum workers that are running, in all databases.",
	}
)

func (*sessions) name() string             { return "sessions" }
func (*sessions) metrics() []metric.Metric { return []metric.Metric{sessionStates, vacuumWorkers} }

func (*sessions) sql(int) (string, error) {
	count := func(what string) string { return "count(*) FILTER (WHERE " + what + ")" }
	columns := []string{"''", count(unseen), count(client + " AND state = 'disabled'"), count(vacuuming)}
	for _, s := range states {
		columns = append(columns, count(client+" AND "+s.sql))
	}
	columns = append(columns, "string_agg(pid || ' ' || query, E'\\n') FILTER (WHERE "+vacuuming+")")
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + activity, nil
}

func (s *sessions) put(b *telemetry.Board, a *answer) error {
	if a.rows.count() != 1 {
		return fmt.Errorf("the server returned %d rows for its sessions", a.rows.count())
	}
	if s.slots == nil {
		for _, state := range states {
			s.slots = append(s.slots, b.Column(sessionStates, state.name))
		}
		s.slots = append(s.slots, b.Column(vacuumWorkers))
	}
	why := hiddenSessions(a, a.rows.number(0, 1), a.rows.number(0, 2))
	for i := range states {
		if why != "" {
			b.Unknown(s.slots[i], why)
			continue
		}
		b.Put(s.slots[i], a.rows.number(0, 4+i))
	}
	b.Put(s.slots[len(states)], a.rows.number(0, 3))
	s.mark(b, a, string(a.rows.text(0, 4+len(states))))
	return nil
}

// hiddenSessions returns why session states are unknown; "" where they are known.
func hiddenSessions(a *answer, unseen, disabled float64) string {
	switch {
	case unseen > 0:
		return fmt.Sprintf("sessions of other roles are not visible: to allow it, run GRANT pg_read_all_stats (or pg_monitor) TO %s", a.server.user)
	case disabled > 0:
		return "track_activities is off"
	}
	return ""
}

// mark marks tables that autovacuum started on, where no log shows it.
func (s *sessions) mark(b *telemetry.Board, a *answer, workers string) {
	now := map[string]bool{}
	for line := range strings.Lines(workers) {
		line = strings.TrimSpace(line)
		now[line] = true
		if s.vacuums == nil || s.vacuums[line] || s.log != nil && a.server.logsVacuums {
			continue
		}
		_, text, found := strings.Cut(line, "autovacuum: ")
		if !found {
			text = "a worker started"
		}
		b.Mark(a.at, "autovacuum", telemetry.Tidy(text))
	}
	s.vacuums = now
}
