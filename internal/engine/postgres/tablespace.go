package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// tempTablespace holds the temporary files and tables of plinth's own server if they have a
// volume.
const tempTablespace = "plinth_temp"

// tempSetting names the tablespaces of temporary files.
const tempSetting = "temp_tablespaces"

// places returns all tablespaces that the server must have.
func (c Config) places() []TablespacePlace {
	if c.TempDir == "" {
		return c.Tablespaces
	}
	return append([]TablespacePlace{{tempTablespace, c.TempDir}}, c.Tablespaces...)
}

// makeTablespaces creates the missing tablespaces: all of them at the first start. Without them
// their contents would silently go to the data directory.
func (o *Own) makeTablespaces(ctx context.Context) error {
	for _, place := range o.places() {
		err := o.use(ctx, "", func(conn *pgx.Conn) error {
			var there bool
			const sql = "SELECT EXISTS (SELECT FROM pg_tablespace WHERE spcname = $1)"
			if err := conn.QueryRow(ctx, sql, place.Name).Scan(&there); err != nil || there {
				return err
			}
			_, err := conn.Exec(ctx, "CREATE TABLESPACE "+identifier(place.Name)+" LOCATION "+literal(place.Dir))
			return err
		})
		if err != nil {
			return fullHint(fmt.Errorf("cannot create tablespace %s: %w", place.Name, o.because(ctx, err)))
		}
	}
	return nil
}

// literal quotes a string, whatever standard_conforming_strings is.
func literal(text string) string {
	return "E'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(text) + "'"
}

// checkPlaces rejects tablespaces that conflict with that of temporary files.
func checkPlaces(config Config) error {
	for _, place := range config.Tablespaces {
		if place.Name == tempTablespace {
			return fmt.Errorf("cannot name a tablespace %s: plinth uses this name for temporary files", place.Name)
		}
	}
	if config.TempDir == "" {
		return nil
	}
	return checkTemp(config.Experiment, config.Environment)
}

// checkTemp rejects a place for temporary files that is set twice.
func checkTemp(exp *experiment.Experiment, env experiment.Environment) error {
	if _, declared := normalised(exp.SettingsOf(env))[tempSetting]; declared {
		return hint.Errorf("leave one of them out",
			"the setting %s and storage.temp both define the place of temporary files", tempSetting)
	}
	return nil
}

// wantedTablespaces returns those that the dataset is to be loaded into. The default one exists
// everywhere.
func wantedTablespaces(d experiment.Dataset) []string {
	wanted := slices.DeleteFunc([]string{d.Tablespace, d.IndexSpace}, func(name string) bool {
		return name == "" || name == "pg_default"
	})
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// checkOwnTablespaces rejects a dataset in tablespaces that the environment's own server will not
// have.
func checkOwnTablespaces(exp *experiment.Experiment, env experiment.Environment) error {
	var there []string
	for _, tablespace := range env.Storage.Tablespaces {
		there = append(there, tablespace.Name)
	}
	for _, name := range wantedTablespaces(exp.Dataset) {
		if !slices.Contains(there, name) {
			return hint.Errorf(hint.DidYouMean(name, there, "declare it in storage.tablespaces"),
				"the dataset uses tablespace %s, which does not exist", name)
		}
	}
	return nil
}

// checkTablespaces does the same for a connected server.
func (c *Connected) checkTablespaces(ctx context.Context) error {
	for _, name := range wantedTablespaces(c.Experiment.Dataset) {
		may := false
		err := c.use(ctx, c.current(), func(conn *pgx.Conn) error {
			const sql = `SELECT coalesce(bool_or(has_tablespace_privilege(oid, 'CREATE')), false)
				FROM pg_tablespace WHERE spcname = $1`
			return conn.QueryRow(ctx, sql, name).Scan(&may)
		})
		switch {
		case err != nil:
			return fmt.Errorf("cannot look for tablespace %s: %w", name, err)
		case !may:
			return hint.Errorf("run CREATE TABLESPACE on the server, or GRANT CREATE ON TABLESPACE to the user",
				"the server has no tablespace %s in which the user may create tables", name)
		}
	}
	return nil
}
