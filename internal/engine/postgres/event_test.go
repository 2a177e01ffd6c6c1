//go:build linux

package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/experiment"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	config := bareConfig(t, oneInstalled(t))
	config.Experiment.Dataset.Scale = 1
	config.Tablespaces = []TablespacePlace{{"cold", testDir(t)}}
	own := startOwn(t, config)
	must(t, own.Load(t.Context(), nil))

	must(t, own.Do(t.Context(), `ALTER TABLE pgbench_accounts SET TABLESPACE cold;
		VACUUM pgbench_accounts; -- outside of any transaction
		BEGIN; CREATE TABLE seen AS SELECT current_setting('application_name') AS name; COMMIT`))
	if files := filesBelow(t, config.Tablespaces[0].Dir); files < 10<<20 {
		t.Errorf("the table was moved, and the tablespace holds %d bytes", files)
	}
	var name string
	must(t, reach(t, own.Target()).QueryRow(t.Context(), "SELECT name FROM seen").Scan(&name))
	if name != "plinth_event" {
		t.Errorf("the connection was called %q", name)
	}

	var mistake *engine.MistakeError
	for sql, words := range map[string]string{
		"SELECT nope":                  `ERROR: column "nope" does not exist`,
		"SELECT 1;\n\nTABLE nope;":     `line 3: ERROR: relation "nope" does not exist`,
		"BEGIN; CREATE TABLE half ();": "",
		"TABLE half":                   `ERROR: relation "half" does not exist`,
	} {
		err := own.Do(t.Context(), sql)
		if words == "" {
			must(t, err)
			continue
		}
		if mustRefuse(t, err, words, ""); !errors.As(err, &mistake) {
			t.Errorf("%q is no mistake: %v", sql, err)
		}
	}
	mustCancel(t, own)
	must(t, own.Check(t.Context()))
}

// mustCancel checks that the server stops as soon as plinth cancels, even while it waits for a
// lock.
func mustCancel(t *testing.T, own *Own) {
	t.Helper()
	holder := reach(t, own.Target())
	_, err := holder.Exec(t.Context(), "BEGIN; LOCK TABLE pgbench_accounts")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- own.Do(ctx, "ALTER TABLE pgbench_accounts SET (fillfactor = 90)") }()
	const waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plinth_event' AND wait_event_type = 'Lock'"
	must(t, life.Poll(t.Context(), patience, func() bool { return countOf(t, own, waiting) == 1 }))
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Do gave %v", err)
	}
	must(t, life.Poll(t.Context(), patience, func() bool {
		return countOf(t, own, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plinth_event'") == 0
	}))
}

func countOf(t *testing.T, own *Own, sql string) (n int) {
	t.Helper()
	must(t, own.use(t.Context(), "", func(conn *pgx.Conn) error { return conn.QueryRow(t.Context(), sql).Scan(&n) }))
	return n
}

// TestToolsFindTheServer runs programs without a connection string, in an environment whose
// variables name other servers.
func TestToolsFindTheServer(t *testing.T) {
	s := startStranger(t)
	dir := t.TempDir()
	t.Setenv("PGSERVICEFILE", filepath.Join(dir, "service"))
	writeFile(t, filepath.Join(dir, "service"), fmt.Sprintf("[prod]\nhost=127.0.0.1\nport=%d\nuser=loader\ndbname=postgres\npassword=s3cr@t /'\\x\n", s.port))
	t.Setenv("PGHOSTADDR", "192.0.2.1")
	config := bareConfig(t, oneInstalled(t))
	config.Experiment.Dataset.Scale = 1
	own := startOwn(t, config)
	for name, server := range map[string]engine.Server{
		"own":      own,
		"socket":   newConnected(t, fmt.Sprintf("host=%s port=%d user=loader dbname=postgres", s.socketDir, s.port)),
		"password": newConnected(t, fmt.Sprintf("postgresql://loader:%s@localhost:%d/postgres?hostaddr=127.0.0.1", strangerPasswordURI, s.port)),
		"service":  newConnected(t, "service=prod"),
	} {
		must(t, server.Load(t.Context(), nil))
		env := server.Target().Tools.Environ()
		// Stands for every client of libpq.
		command := exec.CommandContext(t.Context(), testPgbench(t), "-n", "-t", "1", "-c", "1")
		command.Env = env
		var said bytes.Buffer
		command.Stdout, command.Stderr = &said, &said
		if err := command.Run(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, said.String())
		}
		must(t, server.Remove(t.Context()))
		for _, variable := range env {
			if strings.HasPrefix(variable, "PGPASSWORD=") && name == "own" {
				t.Errorf("%s: a password that there is not", name)
			}
		}
	}
}

// TestEventsHaveConnections checks that max_connections has room for one connection per event.
func TestEventsHaveConnections(t *testing.T) {
	exp := smallExperiment()
	exp.Clients = []int{200}
	before := exp.EnoughConnections()
	exp.Events = []experiment.Event{{SQL: "SELECT 1"}, {Command: []string{"pg_dump"}}}
	if after := exp.EnoughConnections(); after != before+2 {
		t.Errorf("max_connections %d, with two events %d", before, after)
	}
	s := situation{version: 150000, mayCreate: true, connections: 203, perUse: -1}
	mustRefuse(t, s.refuse(exp), "has room for 199", "lower clients")
}
