package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/setting"
	"plinth/internal/record"
)

// describe reads the actual state of the system under test. It describes the dataset as it was
// right after the load.
func (d *database) describe(ctx context.Context, kind string) (record.Environment, error) {
	// The only reliable test of the privilege is to try.
	if err := d.Checkpoint(ctx); err != nil {
		return record.Environment{}, err
	}
	e := record.Environment{
		Schema: record.EnvironmentSchema, Name: d.Environment.Name, Kind: kind, Server: "PostgreSQL",
		Generator: "this machine", Checkpoint: !d.checkpointDenied,
	}
	err := d.use(ctx, d.current(), func(conn *pgx.Conn) (err error) {
		if e.Settings, d.units, err = readSettings(ctx, conn); err != nil {
			return err
		}
		e.Version = e.Settings["server_version"]
		e.VersionN, _ = strconv.Atoi(e.Settings["server_version_num"])
		e.Declared = spelled(d.Experiment.SettingsOf(d.Environment), e.Settings)
		e.Transport, e.Address = client.Transport(conn.PgConn(), conn.Config())
		if e.RoundTrip, err = engine.RoundTrip(func() error {
			_, err := conn.PgConn().Exec(ctx, "").ReadAll()
			return err
		}); err != nil {
			return err
		}
		if d.loaded && d.dataset == nil {
			d.dataset, err = d.readDataset(ctx, conn)
		}
		return err
	})
	if err != nil {
		return e, fmt.Errorf("cannot describe the server: %w", d.because(ctx, err))
	}
	if d.dataset != nil {
		e.Dataset = *d.dataset
	}
	if !e.Checkpoint {
		e.Warnings = append(e.Warnings, record.Note{
			Rule: "no-checkpoint",
			Text: "CHECKPOINT is not permitted: runs may begin with dirty pages that the server still has to write",
			Hint: "GRANT pg_checkpoint (PostgreSQL 15 and later) to the user",
		})
	}
	return e, nil
}

// readSettings reads all settings in force, as SHOW prints them. It omits, by name, those that
// plinth's own session sets for itself: the rest of what a session is given, by PGOPTIONS or the
// connection string, applies to the load generator, too. units are the units of bare numbers.
func readSettings(ctx context.Context, conn *pgx.Conn) (settings, units map[string]string, err error) {
	rows, err := conn.Query(ctx, `SELECT name, current_setting(name), coalesce(unit, '') FROM pg_settings
		WHERE name <> 'application_name' AND name <> ALL ($1)`, timeouts)
	if err != nil {
		return nil, nil, err
	}
	settings, units = map[string]string{}, map[string]string{}
	var name, value, unit string
	_, err = pgx.ForEachRow(rows, []any{&name, &value, &unit}, func() error {
		if setting.Hidden.MatchString(name) && value != "" {
			value = "(not shown)"
		}
		settings[name], units[name] = value, unit
		return nil
	})
	return settings, units, err
}

// spelled gives declared settings the names that the server uses for them.
func spelled(declared, settings map[string]string) map[string]string {
	names := map[string]string{}
	for name := range settings {
		names[strings.ToLower(name)] = name
	}
	result := map[string]string{}
	for name, value := range declared {
		if known, found := names[strings.ToLower(name)]; found {
			name = known
		}
		if setting.Hidden.MatchString(name) {
			value = "(not shown)"
		}
		result[name] = value
	}
	return result
}
