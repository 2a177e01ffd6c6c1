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
	"plinth/internal/engine/postgres/leftover"
)

// TestExamineEveryVersion: nothing is missing for a superuser, whatever the version.
func TestExamineEveryVersion(t *testing.T) {
	t.Parallel()
	for _, programs := range testPrograms(t) {
		t.Run(fmt.Sprint(programs.Version), func(t *testing.T) {
			t.Parallel()
			config := ownConfig(t, programs)
			delete(config.Experiment.Settings, "fsync")
			own := startOwn(t, config)
			f := examine(t, strings.Replace(own.Target().Conninfo, "dbname=plinth", "dbname=postgres", 1))
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
			site := Locate(f)
			if !site.Local || site.Places["data"] != config.DataDir || site.Places["wal"] != filepath.Join(config.DataDir, "pg_wal") || site.CPUs == "" || len(site.Gaps) > 0 {
				t.Errorf("it is at %+v, not in %s", site, config.DataDir)
			}
		})
	}
}

// examine repeats what a busy machine was too slow for.
func examine(t *testing.T, where string) (f Facts) {
	t.Helper()
	must(t, life.Poll(t.Context(), patience, func() bool {
		var err error
		f, err = Examine(t.Context(), conninfo.Conninfo(where))
		must(t, err)
		return !slices.ContainsFunc(f.Gaps, func(g Gap) bool { return strings.Contains(g.Why, "statement timeout") })
	}))
	return f
}

// TestExamineOrdinaryRole: what a role may not see is a gap that names the role
// that would, and none of it is taken for a number.
func TestExamineOrdinaryRole(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	f := examine(t, s.uri("loader"))
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
	if site := Locate(f); site.Local || len(site.Places) > 0 {
		t.Errorf("it is located without its data_directory: %+v", site)
	}

	s.exec(t, "GRANT pg_monitor TO loader")
	f = examine(t, s.uri("loader"))
	if len(f.Gaps) > 0 {
		t.Errorf("gaps with pg_monitor: %v", f.Gaps)
	}
	if site := Locate(f); !site.Local || site.Places["data"] != s.dir {
		t.Errorf("over an address it is located at %+v", site)
	}
	elsewhere := f
	elsewhere.Started = f.Started.Add(-time.Hour)
	if site := Locate(elsewhere); site.Local {
		t.Errorf("a server that started at another time is taken for this one: %+v", site)
	}
}

// uri is how a role reaches the server over loopback.
func (s *stranger) uri(role string) string {
	return fmt.Sprintf("postgresql://%s:%s@127.0.0.1:%d/postgres", role, strangerPasswordURI, s.port)
}

// TestExamineTroubles: what makes a database suffer is seen.
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
	// Functions that would be found first, if the session's search_path counted.
	s.exec(t, `CREATE FUNCTION pit.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT 'trapped' $$`)
	s.exec(t, "ALTER DATABASE postgres SET search_path = pit, pg_catalog")
	s.exec(t, "SELECT pg_create_physical_replication_slot('left', true)")
	s.exec(t, `BEGIN; INSERT INTO public.mute SELECT generate_series(1, 2000); PREPARE TRANSACTION E'odd\x1b[31m'`)
	idler, err := s.connect(t)
	must(t, err)
	defer func() { _ = idler.Close(context.Background()) }()
	_, err = idler.Exec(t.Context(), "BEGIN; SET LOCAL application_name = 'idler'; SELECT count(*) FROM public.mute")
	must(t, err)

	f := examine(t, s.bossConninfo())
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

// TestExamineIsHarmless: what goes wrong in an examination leaves the server and
// the rest of what is read as they were.
func TestExamineIsHarmless(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	t.Run("read only", s.testReadOnly)
	t.Run("locked", s.testLocked)
	t.Run("connection lost", s.testLostConnection)
	t.Run("refusals", s.testRefusals)
}

// testReadOnly: a transaction of an examination can write nothing, has limits, and
// none is left open.
func (s *stranger) testReadOnly(t *testing.T) {
	config, err := StatisticsOf(conninfo.Conninfo(s.bossConninfo()))
	must(t, err)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	defer leave(conn)
	var limits string
	err = readOnly(t.Context(), conn, func(ctx context.Context) error {
		if err := one(ctx, conn, "SELECT current_setting('statement_timeout') || ' ' || current_setting('lock_timeout')", &limits); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, "CREATE TABLE x ()")
		return err
	})
	if want := "ERROR: cannot execute CREATE TABLE in a read-only transaction"; err == nil || plain(err).Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if limits != "3s 500ms" {
		t.Errorf("the limits are %s", limits)
	}
	if status := conn.PgConn().TxStatus(); status != 'I' {
		t.Errorf("the session is left in state %c", status)
	}
}

// testLocked: a part that waits for a lock is a gap.
func (s *stranger) testLocked(t *testing.T) {
	locker, err := s.connect(t)
	must(t, err)
	defer func() { _ = locker.Close(context.Background()) }()
	_, err = locker.Exec(t.Context(), "BEGIN; LOCK TABLE pg_extension IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	f := examine(t, s.bossConninfo())
	if len(f.Gaps) != 1 || f.Gaps[0].What != "extensions" || !strings.Contains(f.Gaps[0].Why, "lock timeout") {
		t.Errorf("gaps: %v", f.Gaps)
	}
}

func TestPrinted(t *testing.T) {
	for _, c := range []struct{ bare, unit, want string }{
		{"16384", "8kB", "128MB"}, {"1", "8kB", "8kB"}, {"1024", "MB", "1GB"}, {"65536", "kB", "64MB"}, {"-1", "kB", "-1"}, {"0", "ms", "0"},
		{"300", "s", "5min"}, {"86400", "s", "1d"}, {"1500", "ms", "1500ms"}, {"4", "", "4"}, {"on", "", "on"}, {"100", "min", "100min"}, {"1048576", "kB", "1GB"}, {"", "kB", ""},
	} {
		if got := printed(c.bare, c.unit); got != c.want {
			t.Errorf("%s of %s is printed as %s, want %s", c.bare, c.unit, got, c.want)
		}
	}
}

func TestQuantitiesOfSettings(t *testing.T) {
	for _, c := range []struct {
		value, unit string
		bytes       int64
		ok          bool
	}{
		{"128MB", "8kB", 128 << 20, true}, {"16", "8kB", 16 * 8192, true}, {"-1", "8kB", -8192, true}, {"5min", "s", 0, false}, {"4", "", 0, false}, {"x", "MB", 0, false},
	} {
		if got, ok := (Setting{Value: c.value, Unit: c.unit}).Bytes(); got != c.bytes && c.ok || ok != c.ok {
			t.Errorf("%s of %s is %d bytes, %v", c.value, c.unit, got, ok)
		}
	}
	if s, ok := (Setting{Value: "5min", Unit: "s"}).Seconds(); s != 300 || !ok {
		t.Errorf("5min is %v s, %v", s, ok)
	}
	if n, ok := (Setting{Value: "1.1"}).Number(); n != 1.1 || !ok {
		t.Errorf("1.1 is %v, %v", n, ok)
	}
}

// testLostConnection: what is read after that is a gap, too.
func (s *stranger) testLostConnection(t *testing.T) {
	config, err := StatisticsOf(conninfo.Conninfo(s.bossConninfo()))
	must(t, err)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	defer leave(conn)
	var f Facts
	part{"the end", "", func(ctx context.Context, conn *pgx.Conn, _ *Facts) error {
		return one(ctx, conn, "SELECT pg_terminate_backend(pg_backend_pid())::text", new(string))
	}}.readInto(t.Context(), conn, &f)
	part{"extensions", "", readExtensions}.readInto(t.Context(), conn, &f)
	want := []Gap{
		{What: "the end", Why: "FATAL: terminating connection due to administrator command"},
		{What: "extensions", Why: "the connection was lost before"},
	}
	if !slices.Equal(f.Gaps, want) {
		t.Errorf("gaps %v, want %v", f.Gaps, want)
	}
}

// TestLocate: a lock file that is not the server's, and one that nobody wrote.
func TestLocate(t *testing.T) {
	now := time.Now()
	dir := t.TempDir()
	facts := Facts{Transport: "tcp", Started: now, Settings: []Setting{{Name: "data_directory", Value: dir}, {Name: "port", Value: "5433"}}}
	lock := func(text string) { must(t, os.WriteFile(filepath.Join(dir, leftover.LockName), []byte(text), 0o600)) }
	for _, c := range []struct {
		name, text string
		local      bool
	}{
		{"none", "", false},
		{"the server's", fmt.Sprintf("1\n%s\n%d\n5433\n/tmp\n", dir, now.Unix()-2), true},
		{"another port", fmt.Sprintf("1\n%s\n%d\n5432\n/tmp\n", dir, now.Unix()), false},
		{"another time", fmt.Sprintf("1\n%s\n%d\n5433\n/tmp\n", dir, now.Unix()-3600), false},
		{"no time", "1\nx\ny\n5433\n", false}, {"short", "1\n", false}, {"binary", "\x00\xff\n\n\n\n\n", false},
	} {
		lock(c.text)
		if site := Locate(facts); site.Local != c.local {
			t.Errorf("with %s it is taken as local: %v", c.name, site.Local)
		}
	}
	lock(fmt.Sprintf("1\n%s\n%d\n5433\n/tmp\n", dir, now.Unix()))
	facts.Tablespaces = []Tablespace{{"fast", "/nowhere/at/all"}}
	site := Locate(facts)
	if site.CPUs != "" {
		t.Errorf("process 1 is no server, and is said to run on %s", site.CPUs)
	}
	var missing []string
	for _, g := range site.Gaps {
		missing = append(missing, g.What)
	}
	if want := []string{"on what pg_wal lies", "on what the directory of tablespace fast lies"}; !slices.Equal(missing, want) || site.Places["data"] != dir {
		t.Errorf("it is at %+v, want gaps %v", site, want)
	}
	facts.Transport, facts.Settings = "socket", nil
	if site := Locate(facts); !site.Local || len(site.Gaps) != 1 || site.Gaps[0].Role != "pg_read_all_settings" {
		t.Errorf("without its data_directory it is at %+v", site)
	}
}

// TestLocateWALElsewhere: pg_wal may be a symbolic link.
func TestLocateWALElsewhere(t *testing.T) {
	dir, wal := t.TempDir(), t.TempDir()
	must(t, os.Symlink(wal, filepath.Join(dir, "pg_wal")))
	site := Locate(Facts{Transport: "socket", Settings: []Setting{{Name: "data_directory", Value: dir}}})
	if site.Places["wal"] != wal || site.Places["data"] != dir {
		t.Errorf("it is at %+v", site)
	}
}
