//go:build linux

package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/engine/life"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"

	"plinth/internal/host/hosttest"
)

// TestOwnTables uses one server for init scripts, scripts, sizes and partitions, because starting
// one for each is not worth the time.
func TestOwnTables(t *testing.T) {
	t.Parallel()
	config := ownConfig(t, oneInstalled(t))
	exp := config.Experiment
	exp.Dataset = experiment.Dataset{Scale: 2, Fillfactor: 50, Partitions: 3, ForeignKeys: true}
	exp.Workloads = []experiment.Workload{{
		Name: "queue", Variables: map[string]string{"most": "7"},
		Init: experiment.Init{SQL: `CREATE SCHEMA "my own";
CREATE TABLE "my own"."t a" (id int primary key, body text); -- it's; fine
INSERT INTO "my own"."t a" SELECT i, $$a;b$$ FROM generate_series(1, 1000) i;
VACUUM "my own"."t a"; -- not possible inside a transaction
`},
		Scripts: []experiment.Script{{Builtin: "select-only"}, {Name: "take", SQL: "\\set n random(1, :most)\nDELETE FROM \"my own\".\"t a\" WHERE id = :n;\n"}},
	}}
	own := startOwn(t, config)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := own.Load(cancelled, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("Load with a cancelled context gave %v", err)
	}
	must(t, own.Check(t.Context()))
	must(t, own.Load(t.Context(), nil))
	e, err := own.Describe(t.Context())
	must(t, err)
	tables := map[string]record.Table{}
	for _, table := range e.Dataset.Tables {
		tables[table.Name] = table
	}
	if got := tables["pgbench_accounts"]; got.Rows != 200_000 || got.Kind != "table" {
		t.Errorf("partitions are not summed: %+v", got)
	}
	if got := tables["pgbench_accounts_pkey"]; got.Table != "pgbench_accounts" || got.Kind != "index" || got.Bytes == 0 {
		t.Errorf("an index of a partitioned table: %+v", got)
	}
	if got := tables["my own.t a"]; got.Rows != 1000 || got.Bytes == 0 {
		t.Errorf("a table of a workload's own: %+v", got)
	}
	// The estimate that Needs made beforehand.
	if guess := datasetBytes(exp.Dataset); guess < e.Dataset.Bytes*95/100 || guess > e.Dataset.Bytes*105/100 {
		t.Errorf("the dataset takes %d bytes, the estimate was %d", e.Dataset.Bytes, guess)
	}
	must(t, own.Reset(t.Context(), "vacuum"))
	must(t, own.CheckScripts(t.Context()))
	if left, err := os.ReadDir(config.Scratch); err != nil || len(left) > 0 {
		t.Errorf("CheckScripts has left %v, %v", left, err)
	}
	if e.Dataset.Memory == 0 || e.Kind != "own" || e.Transport != "socket" || !e.Checkpoint || e.Settings["full_page_writes"] != "on" {
		t.Errorf("described as %+v", e)
	}

	must(t, own.exec(t.Context(), own.name, `DROP TABLE "my own"."t a"`))
	must(t, own.Load(t.Context(), nil))
	again, err := own.Describe(t.Context())
	must(t, err)
	if !slices.Equal(e.Dataset.Tables, again.Dataset.Tables) {
		t.Errorf("loaded first\n%+v\nand then\n%+v", e.Dataset.Tables, again.Dataset.Tables)
	}

	for _, test := range []struct{ script, words string }{
		{"SELECT 1;\nSELECT * FROM nope;", "workload queue, script take: ERROR: relation \"nope\" does not exist\nLINE 1: SELECT * FROM nope;"},
		{"\\set n random(1, )", "workload queue, script take: line 1: "},
		{"", "workload queue, script take: "},
	} {
		exp.Workloads[0].Scripts[1].SQL = test.script
		mustRefuse(t, own.CheckScripts(t.Context()), test.words, "")
		if err := own.CheckScripts(t.Context()); strings.Contains(err.Error(), "/tmp") || strings.Contains(err.Error(), "pgbench:") {
			t.Errorf("not for people: %v", err)
		}
	}

	exp.Workloads[0].Init.SQL = "CREATE TABLE ok (i int);\n\nSELECT 1,\n  nope FROM ok;"
	mustRefuse(t, own.Reset(t.Context(), "reload"),
		`cannot load the dataset: init of workload queue, line 4: ERROR: column "nope" does not exist`, "")
	exp.Workloads[0].Init.SQL = "CREATE TABLE ok (i int)"
	must(t, own.Load(t.Context(), nil)) // a failed load is repeated from the start
}

// onSmallDisk returns the configuration of a server on a filesystem of 96 MiB.
func onSmallDisk(t *testing.T) Config {
	t.Helper()
	hosttest.NeedRoot(t)
	config := ownConfig(t, oneInstalled(t))
	must(t, syscall.Mount("tmpfs", config.DataDir, "tmpfs", 0, "size=96m,mode=0700"))
	t.Cleanup(func() { must(t, syscall.Unmount(config.DataDir, syscall.MNT_DETACH)) })
	if user := config.User; user != nil {
		must(t, os.Chown(config.DataDir, user.UID, user.GID))
	}
	return config
}

func TestDiskFillsUpWhileLoading(t *testing.T) {
	t.Parallel()
	config := onSmallDisk(t)
	config.Experiment.Dataset.Scale = 10
	own := startOwn(t, config)
	mustRefuse(t, own.Load(t.Context(), nil), "cannot load the dataset: ", "free space") // in either file, data or WAL
}

// TestDiskFullIsRecognized checks messages of the server, also as pgx returns them, with the SQLSTATE.
func TestDiskFullIsRecognized(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		`ERROR: could not extend file "base/16384/16397": No space left on device`,
		`ERROR: could not extend file "base/16384/16397": wrote only 4096 of 8192 bytes at block 4204`,
		`FATAL: could not write init file`,
		`FATAL: could not write init file (SQLSTATE XX000)`,
	} {
		mustRefuse(t, fullHint(errors.New(said)), said, "free space")
	}
	for _, said := range []string{`ERROR: relation "t" does not exist`, `FATAL: could not write init file: Input/output error`} {
		if other := fullHint(errors.New(said)); hint.Of(other) != "" {
			t.Errorf("%v has the hint %q", other, hint.Of(other))
		}
	}
}

func TestDiskFillsUpInARun(t *testing.T) {
	t.Parallel()
	config := onSmallDisk(t)
	config.Experiment.Dataset.Scale = 0
	own := startOwn(t, config)
	must(t, own.Load(t.Context(), nil))
	conn := reach(t, own.Target())
	filler, err := os.Create(filepath.Join(config.DataDir, "filler"))
	must(t, err)
	for err == nil {
		_, err = filler.Write(make([]byte, 1<<20))
	}
	must(t, filler.Close())
	for err = nil; err == nil; { // only WAL is written, until no more fits
		_, err = conn.Exec(t.Context(), "SELECT pg_logical_emit_message(true, 'x', repeat('x', 1000000))")
	}
	ended := err
	must(t, life.Poll(t.Context(), patience, func() bool { // a busy machine reads its log late
		said := own.log.Said()
		return said.panicked != "" || said.crash != "" // which replaces it once the process has ended
	}))
	err = own.Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "PANIC: could not write to file") || !strings.Contains(err.Error(), "No space left on device") {
		t.Errorf("Check after the log filled the disk (%v): %v\n%s", ended, err, own.log)
	}
	mustRefuse(t, own.Start(t.Context()), "No space left on device", "free space")
}

func TestCheckpointIsNotPermitted(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	s.exec(t, "ALTER SYSTEM SET work_mem = '8192kB'")
	s.exec(t, "ALTER SYSTEM SET fsync = on")
	s.exec(t, "SELECT pg_reload_conf()")
	c := newConnected(t, "host="+s.socketDir+" user=loader dbname=postgres port="+itoa(s.port))
	c.Experiment.Settings = map[string]string{"work_mem": "8MB", "shared_buffers": "2048", "fsync": "true", "max_wal_size": "64MB"}
	must(t, c.Start(t.Context()))
	defer c.close()
	must(t, c.Checkpoint(t.Context()))
	e, err := c.Describe(t.Context())
	must(t, err)
	if e.Checkpoint || len(e.Warnings) != 2 || e.Warnings[0].Rule != "no-checkpoint" {
		t.Errorf("described with checkpoint %v and %+v", e.Checkpoint, e.Warnings)
	}
	if text := e.Warnings[1].Text; !strings.HasSuffix(text, "not in force on the server: max_wal_size: 1GB, not 64MB") {
		t.Errorf("settings not in force: %s", text)
	}
}
