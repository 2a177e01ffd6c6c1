package postgres

import "plinth/internal/metric"

// newLocks asks how many locks there are, plinth's own left out.
func newLocks() *figures {
	of := func(name, sql, help string) figure {
		return figure{sql: sql, metric: metric.Metric{
			Name: "pg_locks." + name, Kind: metric.Gauge, Unit: "1", Source: "pg_locks", Doc: viewsDoc + "pg_locks", Help: help,
		}}
	}
	list := []figure{
		of("granted", "count(*) FILTER (WHERE granted)", "Locks that are held, of all kinds and in all databases."),
		of("waiting", "count(*) FILTER (WHERE NOT granted)", "Locks that are waited for."),
	}
	return &figures{title: "pg_locks", of: func(int) ([]figure, string, string, error) {
		return list, "''", "FROM pg_locks WHERE pid IS DISTINCT FROM pg_backend_pid()", nil
	}}
}
