package inspection

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plinth/internal/inspect"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// serverFacts returns the facts of the server and its databases as lines.
func serverFacts(i inspect.Inspection) []prose.Fact {
	s := i.Server
	facts := []prose.Fact{
		{Name: "server", Text: phrase.Join(", ", "PostgreSQL "+s.Version, phrase.When(s.Standby, "a standby"), "up since "+s.Started.UTC().Format(time.DateTime)+" UTC")},
		{Name: "asked", Text: fmt.Sprintf("as %s, database %s, at %s (%s)", s.User, s.Database, s.Address, s.Transport)},
		{Name: "databases", Text: databasesLine(i)},
		{Name: "extensions", Text: extensionsLine(i)},
		{Name: "durability", Text: settingsLine(i, "fsync", "full_page_writes", "synchronous_commit", "wal_level", "data_checksums", "wal_log_hints")},
		{Name: "memory", Text: settingsLine(i, "shared_buffers", "huge_pages", "huge_pages_status", "work_mem", "maintenance_work_mem", "effective_cache_size")},
		{Name: "WAL", Text: phrase.Join("; ", settingsLine(i, "max_wal_size", "checkpoint_timeout", "checkpoint_completion_target", "wal_compression"),
			phrase.When(s.WAL.Size > 0, "pg_wal has %s in %s", phrase.Bytes(s.WAL.Size), phrase.Plural(s.WAL.Files, "file")))},
		{Name: "checkpoints", Text: fmt.Sprintf("%s timed, %s requested, since the statistics were reset", phrase.Count(float64(s.Checkpoints.Timed)), phrase.Count(float64(s.Checkpoints.Requested)))},
		{Name: "sessions", Text: sessionsLine(i)},
		{Name: "replication", Text: replicationLine(i)},
	}
	return slices.DeleteFunc(facts, func(f prose.Fact) bool { return f.Text == "" })
}

func databasesLine(i inspect.Inspection) string {
	var total int64
	var largest []string
	for _, d := range i.Server.Databases {
		total += max(0, d.Size)
		if d.Size >= 0 && len(largest) < 4 {
			largest = append(largest, d.Name+" "+phrase.Bytes(d.Size))
		}
	}
	if largest == nil {
		return ""
	}
	return fmt.Sprintf("%d with %s: %s%s", len(i.Server.Databases), phrase.Bytes(total), strings.Join(largest, ", "), phrase.When(len(i.Server.Databases) > len(largest), ", ..."))
}

func extensionsLine(i inspect.Inspection) string {
	var parts []string
	for _, e := range i.Server.Extensions {
		parts = append(parts, e.Name+" "+e.Version)
	}
	return strings.Join(parts, ", ")
}

func sessionsLine(i inspect.Inspection) string {
	c := i.Server.Connections
	if c.Most == 0 {
		return ""
	}
	return phrase.Join(", ", fmt.Sprintf("%d of %d connections", c.Used, c.Most), phrase.When(c.Active >= 0, "%d active", c.Active),
		phrase.When(c.IdleInTransaction > 0, "%d idle in transaction", c.IdleInTransaction),
		phrase.When(len(i.Server.Prepared) > 0, "%s", phrase.Plural(len(i.Server.Prepared), "prepared transaction")))
}

func replicationLine(i inspect.Inspection) string {
	var parts []string
	for _, s := range i.Server.Standbys {
		parts = append(parts, phrase.Join(" ", "standby", s.Name, s.State, s.Sync, phrase.When(s.Lag >= 0, "%s behind", phrase.Bytes(s.Lag))))
	}
	for _, s := range i.Server.Slots {
		state := "inactive"
		if s.Active {
			state = "active"
		}
		parts = append(parts, fmt.Sprintf("slot %s (%s, %s, keeps %s)", s.Name, s.Type, state, phrase.Bytes(s.Retained)))
	}
	return strings.Join(parts, "; ")
}

// quietSettings differ on nearly every server and do not affect measurements: locale, log
// files, and addresses. They are in the JSON.
var quietSettings = strings.Fields(`lc_messages lc_monetary lc_numeric lc_time DateStyle TimeZone log_timezone log_line_prefix
	default_text_search_config cluster_name external_pid_file unix_socket_directories listen_addresses port stats_temp_directory ssl_cert_file ssl_key_file`)

// addChangedSettings adds a table of the settings that differ from their defaults.
func addChangedSettings(d *prose.Document, i inspect.Inspection) {
	const longest = 24 // of a value; the JSON has all of it
	t := prose.Table{Columns: []prose.Column{{Title: "Setting"}, {Title: "Value"}, {Title: "Default"}, {Title: "Set by"}}}
	for _, s := range i.Server.Settings {
		if (s.Changed || s.PendingRestart) && !slices.Contains(quietSettings, s.Name) {
			t.Rows = append(t.Rows, []string{s.Name, prose.Shortened(s.Value, longest), prose.Shortened(s.Default, longest), setBy(s)})
		}
	}
	if t.Rows == nil {
		return
	}
	d.Add(prose.Heading("Settings that differ from their defaults"), t)
}

// setBy returns the source of a setting. For a file it is the name and the line without the
// directory, to fit the table; the JSON has the whole path.
func setBy(s inspect.Setting) string {
	source := strings.Replace(s.Source, "configuration file", "file", 1)
	if s.File != "" {
		source = prose.Shortened(filepath.Base(s.File), 30)
	}
	return source + phrase.When(s.PendingRestart, ", restart pending")
}

// settingsLine formats some settings: "fsync on, wal_level replica".
func settingsLine(i inspect.Inspection, names ...string) string {
	var parts []string
	for _, name := range names {
		if s, known := i.Server.Setting(name); known {
			parts = append(parts, name+" "+s.Value)
		}
	}
	return strings.Join(parts, ", ")
}
