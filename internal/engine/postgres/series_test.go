//go:build linux

package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
)

// TestSeries: a server removes the databases that earlier ones of its series have left, and no other.
func TestSeries(t *testing.T) {
	t.Parallel()
	own := startOwn(t, ownConfig(t, oneInstalled(t)))
	for _, name := range []string{"plinth_ab121", "plinth_ab122", "plinth_ab2", "ab12"} {
		must(t, own.exec(t.Context(), "", "CREATE DATABASE "+name))
	}
	info, err := conninfo.Conninfo(own.target.Conninfo).Parameters()
	must(t, err)
	c := newConnected(t, info.With("dbname", "postgres").String())
	c.Series, c.name = "ab12", "plinth_ab123"
	must(t, c.Start(t.Context()))
	must(t, c.noteDatabase(t.Context()))
	defer func() { must(t, c.Stop(t.Context())) }()
	var names []string
	must(t, c.use(t.Context(), "", func(conn *pgx.Conn) error {
		rows, err := conn.Query(t.Context(), "SELECT datname FROM pg_database WHERE datname LIKE '%ab%' ORDER BY 1")
		if err == nil {
			names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	}))
	if len(names) != 2 || names[0] != "ab12" || names[1] != "plinth_ab2" {
		t.Errorf("left: %q", names)
	}
}
