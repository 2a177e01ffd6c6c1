package postgres

import (
	"fmt"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

const tablesView = "pg_statio_user_tables"

// A database may have so many tables that summing them costs more than everything else. The
// shortest of several times counts: longer ones are due to a busy server.
const (
	dearTables = 5.0 // ms: half of the budget
	dearTimes  = 5
)

// tables are figures that are dropped where they cost too much.
type tables struct {
	*figures
	times int
	least float64 // ms
}

// sql also asks how long the server took.
func (t *tables) sql(major int) (string, error) {
	if err := t.dear(); err != nil {
		return "", err
	}
	return t.statement(major, "extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000")
}

func (t *tables) dear() error {
	if t.times < dearTimes || t.least <= dearTables {
		return nil
	}
	return dropped{fmt.Errorf("the sum over all tables takes the server %.1f ms: too expensive to query every second", t.least)}
}

func (t *tables) put(b *telemetry.Board, a *answer) error {
	if err := t.figures.put(b, a); err != nil {
		return err
	}
	took := a.rows.number(0, len(t.list)+1)
	if t.times++; t.times == 1 || took < t.least {
		t.least = took
	}
	return t.dear()
}

// newTables asks for the blocks of all tables of the database and of their indexes.
//
// The sums are those of the view, but without its joins, which cost the server several
// times as much: user objects have OIDs from 16384 on (FirstNormalObjectId), and TOAST
// tables and their indexes are in separate schemas.
func newTables() question {
	per := func(name, help string) metric.Metric {
		return metric.Metric{
			Name: tablesView + "." + name, Kind: metric.Rate, Unit: "1/s", Source: tablesView,
			Doc: statisticsDoc + tablesView, Help: help,
		}
	}
	share := func(name, help string) metric.Metric {
		m := per(name, help)
		m.Kind, m.Unit = metric.Ratio, "1"
		return m
	}
	const (
		heaps   = "FILTER (WHERE relkind <> 'i')"
		indexes = "FILTER (WHERE relkind = 'i')"
		hits    = "sum(pg_stat_get_blocks_hit(oid))"
		reads   = "sum(pg_stat_get_blocks_fetched(oid) - pg_stat_get_blocks_hit(oid))"
		all     = "sum(pg_stat_get_blocks_fetched(oid))"
	)
	sum := func(what, filter string) string { return "coalesce(" + what + " " + filter + ", 0)" }
	list := []figure{
		{metric: per("heap_blks_read", "Table blocks not found in shared buffers, over all user tables."), sql: sum(reads, heaps)},
		{metric: per("heap_blks_hit", "Table blocks found in shared buffers."), sql: sum(hits, heaps)},
		{metric: per("idx_blks_read", "Index blocks not found in shared buffers."), sql: sum(reads, indexes)},
		{metric: per("idx_blks_hit", "Index blocks found in shared buffers."), sql: sum(hits, indexes)},
		{metric: metric.Metric{Name: "heap"}, sql: sum(all, heaps), hidden: true},
		{metric: metric.Metric{Name: "idx"}, sql: sum(all, indexes), hidden: true},
	}
	return &tables{figures: &figures{
		title: tablesView,
		ratios: []ratio{
			{share("heap_hit", "Share of table blocks found in shared buffers."), tablesView + ".heap_blks_hit", "heap"},
			{share("idx_hit", "Share of index blocks found in shared buffers."), tablesView + ".idx_blks_hit", "idx"},
		},
		of: func(int) ([]figure, string, string, error) {
			since := "(SELECT " + reset("pg_stat_get_db_stat_reset_time(oid)") + " FROM pg_database WHERE datname = current_database())"
			return list, since, `FROM pg_class WHERE oid >= 16384 AND relkind IN ('r', 'm', 'i')
				AND relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_toast')`, nil
		},
	}}
}
