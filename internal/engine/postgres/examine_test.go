//go:build linux

package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/examine"
)

// TestExamineEveryVersion checks that nothing is missing for a superuser, whatever the version.
func TestExamineEveryVersion(t *testing.T) {
	t.Parallel()
	for _, programs := range testPrograms(t) {
		t.Run(fmt.Sprint(programs.Version), func(t *testing.T) {
			t.Parallel()
			config := ownConfig(t, programs)
			delete(config.Experiment.Settings, "fsync")
			own := startOwn(t, config)
			f := look(t, strings.Replace(own.Target().Conninfo, "dbname=plinth", "dbname=postgres", 1))
			if len(f.Gaps) > 0 {
				t.Errorf("gaps: %v", f.Gaps)
			}
			if f.VersionN/10000 != programs.Version || f.Transport != "socket" || !f.Role.Superuser || f.Standby {
				t.Errorf("it is described as %+v", f)
			}
			if s, _ := f.Setting("fsync"); s.Value != "on" || s.Default != "on" || s.Changed {
				t.Errorf("fsync is %+v", s)
			}
			if f.WAL.Files < 1 || f.WAL.Size < 1<<20 || f.Connections.Most == 0 || f.Checkpoints.Timed+f.Checkpoints.Requested < 0 {
				t.Errorf("WAL %+v, connections %+v, checkpoints %+v", f.WAL, f.Connections, f.Checkpoints)
			}
			if len(f.Databases) < 3 || f.Databases[0].Size < 1<<20 || f.Databases[0].FrozenAge < 0 {
				t.Errorf("databases %v", f.Databases)
			}
			if len(f.Extensions) != 1 || f.Extensions[0].Name != "plpgsql" {
				t.Errorf("extensions %v", f.Extensions)
			}
			site := examine.Locate(f)
			if !site.Local || site.Places["data"] != config.DataDir || site.Places["wal"] != filepath.Join(config.DataDir, "pg_wal") || site.CPUs == "" || len(site.Gaps) > 0 {
				t.Errorf("it is at %+v, not in %s", site, config.DataDir)
			}
		})
	}
}

// look repeats a reading that timed out on a busy machine.
func look(t *testing.T, where string) (f examine.Facts) {
	t.Helper()
	must(t, life.Poll(t.Context(), patience, func() bool {
		var err error
		f, err = examine.Read(t.Context(), conninfo.Conninfo(where))
		must(t, err)
		return !slices.ContainsFunc(f.Gaps, func(g examine.Gap) bool { return strings.Contains(g.Why, "statement timeout") })
	}))
	return f
}

// TestExamineOrdinaryRole checks that what a role may not see becomes a gap that names the role
// that may, and is never taken for a number.
func TestExamineOrdinaryRole(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	f := look(t, s.uri("loader"))
	var roles []string
	for _, g := range f.Gaps {
		roles = append(roles, g.Role)
	}
	if want := []string{"pg_monitor", "pg_read_all_settings", "pg_read_all_stats"}; !slices.Equal(roles, want) {
		t.Errorf("gaps are %v, want those of %v", f.Gaps, want)
	}
	if f.WAL.Size != -1 || f.Connections.Active != -1 || f.Transport != "tcp" || f.User != "loader" || f.Role.Superuser {
		t.Errorf("%+v", f)
	}
	if site := examine.Locate(f); site.PID != s.process.PID() || len(site.Places) > 0 || len(site.Gaps) != 1 {
		t.Errorf("without its data_directory it is located at %+v", site)
	}

	s.exec(t, "GRANT pg_monitor TO loader")
	f = look(t, s.uri("loader"))
	if len(f.Gaps) > 0 {
		t.Errorf("gaps with pg_monitor: %v", f.Gaps)
	}
	if site := examine.Locate(f); !site.Local || site.Places["data"] != s.dir {
		t.Errorf("over an address it is located at %+v", site)
	}
	// Without the connection, only the files are known.
	files := examine.Facts{Transport: f.Transport, Settings: f.Settings, Started: f.Started}
	if site := examine.Locate(files); site.PID != s.process.PID() || site.Places["data"] != s.dir {
		t.Errorf("by its files it is located at %+v", site)
	}
	files.Started = f.Started.Add(-time.Hour)
	if site := examine.Locate(files); site.Local {
		t.Errorf("a server that started at another time is taken for this one: %+v", site)
	}
}

// uri returns the connection string of a role over loopback.
func (s *stranger) uri(role string) string {
	return fmt.Sprintf("postgresql://%s:%s@127.0.0.1:%d/postgres", role, strangerPasswordURI, s.port)
}

// TestExamineTroubles checks that common causes of trouble in a database are found.
func TestExamineTroubles(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	must(t, os.WriteFile(filepath.Join(s.dir, "more.conf"), []byte("max_prepared_transactions = 2\nprimary_conninfo = 'password=hushhush'\n"), 0o644))
	conf, err := os.OpenFile(filepath.Join(s.dir, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = conf.WriteString("include 'more.conf'\n")
	must(t, err)
	must(t, conf.Close())
	must(t, s.process.Stop())
	s.start(t)
	s.exec(t, "ALTER SYSTEM SET max_connections = 33")
	s.exec(t, "ALTER SYSTEM SET work_mem = '8MB'")
	s.exec(t, "SELECT pg_reload_conf()")
	s.exec(t, "CREATE TABLE mute (n int) WITH (autovacuum_enabled = off)")
	s.exec(t, "CREATE SCHEMA pit")
	// Functions that would be found first if the session's search_path applied.
	s.exec(t, `CREATE FUNCTION pit.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT 'trapped' $$`)
	s.exec(t, "ALTER DATABASE postgres SET search_path = pit, pg_catalog")
	s.exec(t, "SELECT pg_create_physical_replication_slot('left', true)")
	s.exec(t, `BEGIN; INSERT INTO public.mute SELECT generate_series(1, 2000); PREPARE TRANSACTION E'odd\x1b[31m'`)
	idler, err := s.connect(t)
	must(t, err)
	defer func() { _ = idler.Close(context.Background()) }()
	_, err = idler.Exec(t.Context(), "BEGIN; SET LOCAL application_name = 'idler'; SELECT count(*) FROM public.mute")
	must(t, err)

	f := look(t, s.bossConninfo())
	if len(f.Gaps) > 0 {
		t.Errorf("gaps: %v", f.Gaps)
	}
	if p, _ := f.Setting("work_mem"); p.Value != "8MB" || p.Default != "4MB" || !p.Changed || !strings.Contains(p.File, "postgresql.auto.conf:") {
		t.Errorf("work_mem is %+v", p)
	}
	if p, _ := f.Setting("max_connections"); !p.PendingRestart || p.Value != "20" {
		t.Errorf("max_connections is %+v", p)
	}
	text, err := json.Marshal(f)
	must(t, err)
	if p, _ := f.Setting("primary_conninfo"); p.Value != "(not shown)" || strings.Contains(string(text), "hushhush") {
		t.Errorf("primary_conninfo is shown: %+v", p)
	}
	if len(f.Prepared) != 1 || f.Prepared[0].ID != "odd\x1b[31m" || f.Prepared[0].Age < 0 {
		t.Errorf("prepared transactions: %+v", f.Prepared)
	}
	if len(f.Slots) != 1 || f.Slots[0].Active || f.Slots[0].Retained < 0 {
		t.Errorf("slots: %+v", f.Slots)
	}
	if len(f.Transactions) != 1 || f.Transactions[0].Application != "idler" || f.Transactions[0].State != "idle in transaction" || f.Connections.IdleInTransaction != 1 {
		t.Errorf("transactions: %+v, connections %+v", f.Transactions, f.Connections)
	}
	if len(f.Neglected) != 1 || f.Neglected[0].Name != "public.mute" || !f.Neglected[0].NoAutovacuum {
		t.Errorf("neglected tables: %+v", f.Neglected)
	}
}

func (s *stranger) bossConninfo() string {
	return fmt.Sprintf("host=%s port=%d user=boss dbname=postgres", s.socketDir, s.port)
}

// TestExamineIsHarmless checks that a failure in an examination affects neither the server nor
// the rest of the reading.
func TestExamineIsHarmless(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	t.Run("read only", s.testReadOnly)
	t.Run("locked", s.testLocked)
	t.Run("refusals", s.testRefusals)
}

// testReadOnly checks that a transaction of an examination cannot write, has limits, and is not
// left open.
func (s *stranger) testReadOnly(t *testing.T) {
	config, err := client.ConfigOf(conninfo.Conninfo(s.bossConninfo()))
	must(t, err)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	defer client.Leave(conn)
	var limits string
	err = client.ReadOnly(t.Context(), conn, func(ctx context.Context) error {
		if err := client.One(ctx, conn, "SELECT current_setting('statement_timeout') || ' ' || current_setting('lock_timeout')", &limits); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, "CREATE TABLE x ()")
		return err
	})
	if want := "ERROR: cannot execute CREATE TABLE in a read-only transaction"; err == nil || client.Plain(err).Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if limits != "3s 500ms" {
		t.Errorf("the limits are %s", limits)
	}
	if status := conn.PgConn().TxStatus(); status != 'I' {
		t.Errorf("the session is left in state %c", status)
	}
}

// testLocked checks that a part that waits for a lock becomes a gap.
func (s *stranger) testLocked(t *testing.T) {
	locker, err := s.connect(t)
	must(t, err)
	defer func() { _ = locker.Close(context.Background()) }()
	_, err = locker.Exec(t.Context(), "BEGIN; LOCK TABLE pg_extension IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	f := look(t, s.bossConninfo())
	if len(f.Gaps) != 1 || f.Gaps[0].What != "extensions" || !strings.Contains(f.Gaps[0].Why, "lock timeout") {
		t.Errorf("gaps: %v", f.Gaps)
	}
}
