package postgres

import (
	"errors"
	"fmt"
	"math"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

const replicationView = "pg_stat_replication"

// replication reports how far standbys lag.
type replication struct {
	lags  []metric.Metric
	slots map[string][]telemetry.Slot
}

func newReplication() *replication {
	of := func(name, help string) metric.Metric {
		return metric.Metric{
			Name: "replication.{standby}." + name, Kind: metric.Gauge, Unit: "bytes", Source: replicationView,
			Doc: statisticsDoc + replicationView, Help: "Bytes of WAL not yet " + help,
		}
	}
	return &replication{slots: map[string][]telemetry.Slot{}, lags: []metric.Metric{
		of("sent_lag", "sent to the standby."), of("write_lag", "written by the standby."),
		of("flush_lag", "flushed to disk by the standby."), of("replay_lag", "replayed by the standby."),
	}}
}

func (*replication) name() string               { return "replication" }
func (r *replication) metrics() []metric.Metric { return r.lags }

// sql takes the standbys' names from one session each: the view would join all sessions.
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
			return fmt.Errorf("standbys are not visible: to allow it, run GRANT pg_read_all_stats (or pg_monitor) TO %s", a.server.user)
		}
		name := string(a.rows.text(row, 1))
		if times[name]++; times[name] > 1 { // two with the same name
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
			b.Put(slot, max(0, v)) // WAL may have been sent after the position was read
		}
	}
}
