package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// wantedTablespaces are those in which the dataset is to be loaded. The default
// one is everywhere.
func wantedTablespaces(d experiment.Dataset) []string {
	wanted := slices.DeleteFunc([]string{d.Tablespace, d.IndexSpace}, func(name string) bool {
		return name == "" || name == "pg_default"
	})
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// checkOwnTablespaces refuses a dataset in tablespaces that the environment's own
// server will not have.
func checkOwnTablespaces(exp *experiment.Experiment, env experiment.Environment) error {
	var there []string
	for _, tablespace := range env.Storage.Tablespaces {
		there = append(there, tablespace.Name)
	}
	for _, name := range wantedTablespaces(exp.Dataset) {
		if !slices.Contains(there, name) {
			return hint.Errorf(hint.DidYouMean(name, there, "name it in storage.tablespaces"),
				"the dataset is to be loaded into tablespace %s, which is not there", name)
		}
	}
	return nil
}

// checkTablespaces refuses the same at a server that was already there.
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
			return hint.Errorf("CREATE TABLESPACE there, or GRANT CREATE ON TABLESPACE to the user",
				"the server has no tablespace %s in which the user may make tables", name)
		}
	}
	return nil
}
