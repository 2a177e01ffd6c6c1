package postgres

import (
	"errors"
	"fmt"
	"math"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

const replicationView = "pg_stat_replication"

// replication is how far standbys are behind.
type replication struct {
	lags  []metric.Metric
	slots map[string][]telemetry.Slot
}

func newReplication() *replication {
	of := func(name, help string) metric.Metric {
		return metric.Metric{
			Name: "replication.{standby}." + name, Kind: metric.Gauge, Unit: "bytes", Source: replicationView,
			Doc: statisticsDoc + replicationView, Help: "Bytes of WAL that the standby " + help,
		}
	}
	return &replication{slots: map[string][]telemetry.Slot{}, lags: []metric.Metric{
		of("sent_lag", "has not been sent yet."), of("write_lag", "has not written yet."),
		of("flush_lag", "has not made durable yet."), of("replay_lag", "has not replayed yet."),
	}}
}

func (*replication) name() string               { return "replication" }
func (r *replication) metrics() []metric.Metric { return r.lags }

// sql takes the names of standbys from single sessions: the view would join all.
func (*replication) sql(int) (string, error) {
	return `SELECT '', coalesce(nullif(a.application_name, ''), 'standby'), w.state,
		pg_wal_lsn_diff(o.lsn, w.sent_lsn), pg_wal_lsn_diff(o.lsn, w.write_lsn),
		pg_wal_lsn_diff(o.lsn, w.flush_lsn), pg_wal_lsn_diff(o.lsn, w.replay_lsn)
		FROM pg_stat_get_wal_senders() w LEFT JOIN LATERAL pg_stat_get_activity(w.pid) a ON true,
		(SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END AS lsn) o
		WHERE w.state IS NULL OR w.state IN ('streaming', 'catchup') ORDER BY w.pid`, nil
}

func (r *replication) put(b *telemetry.Board, a *answer) error {
	if a.rows.count() == 0 {
		return errors.New("no standby is connected")
	}
	times := map[string]int{}
	for row := range a.rows.count() {
		if len(a.rows.text(row, 2)) == 0 {
			return fmt.Errorf("standbys can't be seen: GRANT pg_read_all_stats (or pg_monitor) TO %s would allow it", a.server.user)
		}
		name := string(a.rows.text(row, 1))
		if times[name]++; times[name] > 1 { // two of one name
			name = fmt.Sprintf("%s#%d", name, times[name])
		}
		r.putLags(b, a, row, name)
	}
	return nil
}

func (r *replication) putLags(b *telemetry.Board, a *answer, row int, name string) {
	slots, known := r.slots[name]
	if !known {
		for _, m := range r.lags {
			slots = append(slots, b.Column(m, name))
		}
		r.slots[name] = slots
	}
	for i, slot := range slots {
		if v := a.rows.number(row, 3+i); !math.IsNaN(v) {
			b.Put(slot, max(0, v)) // it may have been sent after the position was read
		}
	}
}

// newPosition asks how far the write-ahead log has come, and marks the timeline
// where it goes on in a new segment.
func newPosition() question {
	const (
		standby  = "pg_is_in_recovery()"
		inserted = "pg_current_wal_insert_lsn()"
		lsn      = "CASE WHEN " + standby + " THEN pg_last_wal_replay_lsn() ELSE " + inserted + " END"
	)
	bytes := metric.Metric{
		Name: "wal.bytes", Kind: metric.Rate, Unit: "bytes/s", Source: "pg_current_wal_insert_lsn()",
		Doc: functionsDoc + "Backup Control Functions", Help: "Bytes by which the write-ahead log grew; on a standby, by which it was replayed.",
	}
	list := []figure{
		{metric: bytes, sql: "pg_wal_lsn_diff(" + lsn + ", '0/0')", why: "the server has replayed nothing yet"},
		{metric: metric.Metric{Name: "segment size"}, sql: "pg_size_bytes(current_setting('wal_segment_size'))", hidden: true},
	}
	f := &figures{title: "wal position", of: func(int) ([]figure, string, string, error) {
		return list, "''", "", nil
	}}
	return &position{figures: f, file: "CASE WHEN NOT " + standby + " THEN pg_walfile_name(" + inserted + ") END"}
}

// position is figures that mark the timeline.
type position struct {
	*figures
	file    string
	segment float64 // the one of the reading before, 0 where it is not known
}

// sql is the first statement of a round. It lets the session report what plinth
// itself has done until now: the server's counters, which the next statements read,
// have it then, second by second, and it can be taken from them. Sessions report at
// most once a second otherwise, so that one second would have the transactions of
// two. Servers before PostgreSQL 15 cannot be asked for that; a round of theirs may
// be half a second off.
// https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-STATS-FUNCTIONS
func (p *position) sql(major int) (string, error) {
	if major < 15 {
		return p.statement(major, p.file)
	}
	return p.statement(major, p.file, "pg_stat_force_next_flush()")
}

func (p *position) put(b *telemetry.Board, a *answer) error {
	if err := p.figures.put(b, a); err != nil {
		return err
	}
	segment := math.Floor(a.rows.number(0, 1) / a.rows.number(0, 2))
	if grown := segment - p.segment; p.segment > 0 && grown > 0 {
		text := "1 segment"
		if grown > 1 {
			text = fmt.Sprintf("%.0f segments", grown)
		}
		if file := a.rows.text(0, 3); len(file) > 0 {
			text += ", now " + telemetry.Tidy(string(file))
		}
		b.Mark(a.at, "wal-segment", text)
	}
	if !math.IsNaN(segment) {
		p.segment = segment
	}
	return nil
}
