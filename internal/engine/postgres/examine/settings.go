package examine

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/setting"

	"github.com/jackc/pgx/v5"
)

// Setting is one of the server's settings: one that differs from its default, or one that
// findings are about. Values that may hold a secret are not shown.
// https://www.postgresql.org/docs/current/view-pg-settings.html
type Setting struct {
	Name           string `json:"name"`
	Value          string `json:"value"` // as SHOW prints it: "128MB"
	Unit           string `json:"unit,omitempty"`
	Default        string `json:"default"`        // built in, printed like Value
	Source         string `json:"source"`         // "configuration file", "command line", "database", ...
	File           string `json:"file,omitempty"` // and line; only for roles that may read all settings
	NeedsRestart   bool   `json:"needs_restart"`  // a change takes effect at the next start
	PendingRestart bool   `json:"pending_restart"`
	Changed        bool   `json:"changed"` // set to a value that is not the default
}

// On reports whether a switch is on.
func (s Setting) On() bool { return setting.Switches[strings.ToLower(s.Value)] }

// Bytes returns the value of a memory setting.
func (s Setting) Bytes() (int64, bool) { return s.quantity(setting.MemoryUnits) }

// Seconds returns the value of a time setting.
func (s Setting) Seconds() (float64, bool) {
	n, ok := s.quantity(setting.TimeUnits)
	return float64(n) / 1e9, ok
}

// Number returns the value of a setting without a unit.
func (s Setting) Number() (float64, bool) {
	n, err := strconv.ParseFloat(s.Value, 64)
	return n, err == nil && s.Unit == ""
}

func (s Setting) quantity(units map[string]float64) (int64, bool) {
	base, ok := setting.BaseUnit(s.Unit, units)
	if !ok {
		return 0, false
	}
	n, err := setting.Quantity(s.Value, base, units)
	return n, err == nil
}

// Setting returns a setting by its name; false if it does not exist, or the role may not see it.
func (f *Facts) Setting(name string) (Setting, bool) {
	i := slices.IndexFunc(f.Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return Setting{}, false
	}
	return f.Settings[i], true
}

// Watched are the settings that are read even at their defaults.
var Watched = strings.Fields(`
	archive_mode autovacuum block_size checkpoint_completion_target checkpoint_timeout data_checksums data_directory
	debug_assertions default_transaction_isolation effective_cache_size effective_io_concurrency fsync full_page_writes
	hot_standby_feedback huge_pages huge_pages_status io_method jit log_min_duration_statement log_statement
	maintenance_work_mem max_connections max_parallel_workers max_wal_size max_worker_processes min_wal_size port
	random_page_cost shared_buffers shared_memory_size shared_memory_size_in_huge_pages superuser_reserved_connections
	synchronous_commit synchronous_standby_names track_counts track_io_timing wal_buffers wal_compression
	wal_level wal_log_hints wal_segment_size wal_sync_method work_mem`)

// The server reports a setting of the command line as pending if a file has it, too, although no
// restart would change it.
const settingsSQL = `SELECT name, current_setting(name), coalesce(unit, ''), coalesce(boot_val, ''), source,
	coalesce(sourcefile || ':' || sourceline, ''), context = 'postmaster', pending_restart AND source <> 'command line',
	context <> 'internal' AND source NOT IN ('default', 'override', 'client', 'session') AND setting IS DISTINCT FROM boot_val
	FROM pg_settings WHERE name <> ALL ($1) ORDER BY name`

// readSettingsOf reads the settings worth knowing. It omits values that only plinth's own session
// has set.
func readSettingsOf(ctx context.Context, conn *pgx.Conn, f *Facts) error {
	found, err := client.All[Setting](ctx, conn, settingsSQL, client.OwnSettings)
	if err != nil {
		return err
	}
	f.Settings = slices.DeleteFunc(found, func(s Setting) bool {
		return !s.Changed && !s.PendingRestart && !slices.Contains(Watched, s.Name)
	})
	for i := range f.Settings {
		s := &f.Settings[i]
		s.Default = setting.Printed(s.Default, s.Unit)
		if setting.Hidden.MatchString(s.Name) {
			s.Value, s.Default = concealed(s.Value), concealed(s.Default)
		}
	}
	return nil
}

func concealed(value string) string {
	if value == "" {
		return ""
	}
	return "(not shown)"
}
