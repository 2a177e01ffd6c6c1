package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Standby is a server that receives this one's WAL.
// https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-REPLICATION-VIEW
type Standby struct {
	Name  string `json:"name"`  // application_name: any text
	State string `json:"state"` // "streaming", "catchup", ...; "" where it may not be seen
	Sync  string `json:"sync"`  // "async", "sync", "quorum", "potential"
	Lag   int64  `json:"lag_bytes"`
}

// Where the server's own position is not the newest it knows, as on a standby, a
// lag is counted from what it has replayed.
const positionSQL = `CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END`

const standbysSQL = `SELECT coalesce(application_name, ''), coalesce(state, ''), coalesce(sync_state, ''),
	coalesce(greatest(0, pg_wal_lsn_diff(` + positionSQL + `, replay_lsn)), -1)::bigint FROM pg_stat_replication ORDER BY 1`

func readStandbys(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
	f.Standbys, err = all[Standby](ctx, conn, standbysSQL)
	return err
}

// Slot is a promise to keep WAL, and maybe old rows, for somebody.
// https://www.postgresql.org/docs/current/view-pg-replication-slots.html
type Slot struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // "physical", "logical"
	Active   bool   `json:"active"`
	Retained int64  `json:"retained_bytes"` // WAL that is kept for it
	XminAge  int64  `json:"xmin_age"`       // of the rows that are kept for it, in transactions; -1 for none
}

const slotsSQL = `SELECT slot_name::text, slot_type, active,
	coalesce(greatest(0, pg_wal_lsn_diff(` + positionSQL + `, restart_lsn)), 0)::bigint,
	coalesce(greatest(age(xmin), age(catalog_xmin)), -1)::bigint FROM pg_replication_slots ORDER BY 1`

func readSlots(ctx context.Context, conn *pgx.Conn, f *Facts) (err error) {
	f.Slots, err = all[Slot](ctx, conn, slotsSQL)
	return err
}
