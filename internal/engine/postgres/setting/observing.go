package setting

// Observing returns settings with which a server reports more than by default: the time of reads, writes
// and syncs, and in its log checkpoints and autovacuum runs. They are the same in every environment of
// plinth's own, observed or not, so that their cost does not differ between them; the experiment's own
// settings override them. version is the major version, or 0 for the newest.
//
// https://www.postgresql.org/docs/current/runtime-config-statistics.html
func Observing(version int) map[string]string {
	settings := map[string]string{"track_io_timing": "on", "log_checkpoints": "on", "log_autovacuum_min_duration": "0"}
	if version == 0 || version >= 14 {
		settings["track_wal_io_timing"] = "on"
	}
	return settings
}
