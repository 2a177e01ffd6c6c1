package postgres

import "plinth/internal/metric"

const archiverView = "pg_stat_archiver"

// newArchiver asks how many segments of the WAL were archived. Both are 0 while archive_mode is off.
func newArchiver() *figures {
	of := func(name, column, help string) figure {
		return figure{sql: column, metric: metric.Metric{
			Name: "archiver." + name, Kind: metric.Rate, Unit: "1/s", Source: archiverView, Doc: statisticsDoc + archiverView, Help: help,
		}}
	}
	list := []figure{
		of("archived", "archived_count", "WAL files that archive_command or archive_library has archived."),
		of("failed", "failed_count", "Attempts to archive a WAL file that failed; the server repeats them."),
	}
	return &figures{title: archiverView, of: func(int) ([]figure, string, string, error) {
		return list, reset("stats_reset"), "FROM pg_stat_archiver", nil
	}}
}
