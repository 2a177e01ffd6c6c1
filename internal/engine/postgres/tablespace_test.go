//go:build linux

package postgres

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// inTablespaces returns a configuration with places for everything.
func inTablespaces(t *testing.T, programs install.Programs) Config {
	config := bareConfig(t, programs)
	config.Experiment.Dataset.Scale = 1
	config.WALDir, config.TempDir = testDir(t), testDir(t)
	config.Tablespaces = []TablespacePlace{{"cold", testDir(t)}, {"My own", testDir(t)}}
	config.Experiment.Dataset.Tablespace, config.Experiment.Dataset.IndexSpace = "cold", "My own"
	config.Experiment.Workloads = []experiment.Workload{{Name: "parts", Init: experiment.Init{SQL: `
CREATE TABLE part (i int) PARTITION BY RANGE (i);
CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (0) TO (1000) TABLESPACE cold;
CREATE TABLE part2 PARTITION OF part FOR VALUES FROM (1000) TO (2000);
INSERT INTO part SELECT generate_series(0, 1999)`}}}
	return config
}

func TestTablespaces(t *testing.T) {
	t.Parallel()
	for _, programs := range outermost(testPrograms(t)) {
		t.Run(strconv.Itoa(programs.Version), func(t *testing.T) {
			t.Parallel()
			config := inTablespaces(t, programs)
			own := startOwn(t, config)
			must(t, own.Load(t.Context(), nil))
			must(t, own.Start(t.Context())) // nothing is created twice
			e, err := own.Describe(t.Context())
			must(t, err)
			mustBeApart(t, config, e.Dataset)
			mustSpill(t, own)
			must(t, own.Stop(t.Context()))
			must(t, own.Start(t.Context()))
			mustSpill(t, own)
		})
	}
}

// mustBeApart checks that tables and indexes are in their tablespaces, on the disk, too.
func mustBeApart(t *testing.T, config Config, dataset record.Dataset) {
	t.Helper()
	places := map[string]string{}
	for _, table := range dataset.Tables {
		places[table.Name] = table.Tablespace
	}
	for name, want := range map[string]string{
		"pgbench_accounts": "cold", "pgbench_history": "cold", "pgbench_accounts_pkey": "My own", "part": "",
	} {
		if got, there := places[name]; !there || got != want {
			t.Errorf("%s is in tablespace %q, want %q", name, got, want)
		}
	}
	if len(dataset.Tablespaces) != 3 {
		t.Fatalf("tablespaces %+v", dataset.Tablespaces)
	}
	for i, want := range []struct {
		name, dir string
		most      int64
	}{
		{"My own", config.Tablespaces[1].Dir, 4 << 20}, {"cold", config.Tablespaces[0].Dir, 15 << 20}, {tempTablespace, config.TempDir, 0},
	} {
		got := dataset.Tablespaces[i]
		if got.Name != want.name || got.Path != want.dir || got.Bytes > want.most || got.Bytes < want.most/2 {
			t.Errorf("tablespace %+v, want %+v", got, want)
		}
		if files := filesBelow(t, want.dir); files < got.Bytes || files > got.Bytes+1<<20 {
			t.Errorf("%s holds %d bytes, the dataset's are %d", want.dir, files, got.Bytes)
		}
	}
}

func filesBelow(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		bytes += info.Size()
		return err
	}))
	return bytes
}

// mustSpill checks that the temporary files of a sort, and a temporary table, are in their place.
func mustSpill(t *testing.T, own *Own) {
	t.Helper()
	before := filesBelow(t, own.TempDir)
	conn := reach(t, own.Target())
	for _, sql := range []string{
		"BEGIN", "SET LOCAL work_mem = '64kB'",
		"DECLARE c CURSOR FOR SELECT repeat(i::text, 10) FROM generate_series(1, 200000) i ORDER BY 1", "FETCH 1 FROM c",
	} {
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
	sort := filesBelow(t, own.TempDir) - before
	if sort < 1<<20 {
		t.Errorf("a sort left %d bytes in %s", sort, own.TempDir)
	}
	_, err := conn.Exec(t.Context(), "CREATE TEMP TABLE t AS SELECT generate_series(1, 100000)")
	must(t, err)
	if table := filesBelow(t, own.TempDir) - before - sort; table < 1<<20 {
		t.Errorf("a temporary table left %d bytes in %s", table, own.TempDir)
	}
	must(t, conn.Close(t.Context()))
}

func TestTablespacesAreRefused(t *testing.T) {
	t.Parallel()
	config := ownConfig(t, oneInstalled(t))
	config.Tablespaces = []TablespacePlace{{tempTablespace, "/x"}}
	_, err := NewOwn(config)
	mustRefuse(t, err, "cannot name a tablespace plinth_temp", "")

	config = ownConfig(t, oneInstalled(t))
	config.TempDir, config.Experiment.Settings = "/x", map[string]string{"Temp_Tablespaces": "fast"}
	_, err = NewOwn(config)
	mustRefuse(t, err, "the setting temp_tablespaces and storage.temp both define", "leave one of them out")

	config = ownConfig(t, oneInstalled(t))
	config.Tablespaces = []TablespacePlace{{"cold", "/nowhere/at all"}}
	own := newServer(t, config)
	defer func() { must(t, own.Remove(t.Context())) }()
	mustRefuse(t, own.Start(t.Context()), `cannot create tablespace cold: ERROR: directory "/nowhere/at all" does not exist`, "")
}

func TestProbeRefusesTablespaces(t *testing.T) {
	t.Parallel()
	exp := smallExperiment()
	here := experiment.Environment{Name: "here", Storage: experiment.Storage{
		Temp:        experiment.Volume{Directory: "/x"},
		Tablespaces: []experiment.Tablespace{{Name: "cold", Volume: experiment.Volume{Directory: "/x"}}},
	}}
	exp.Dataset.Tablespace, exp.Dataset.IndexSpace = "cold", "pg_default"
	must(t, Kind{}.Probe(t.Context(), exp, here))
	exp.Dataset.IndexSpace = "colt"
	mustRefuse(t, Kind{}.Probe(t.Context(), exp, here), "tablespace colt, which does not exist", "did you mean cold?")
	exp.Dataset.IndexSpace, here.Settings = "", map[string]string{"temp_tablespaces": "cold"}
	mustRefuse(t, Kind{}.Probe(t.Context(), exp, here), "the setting temp_tablespaces and storage.temp both define", "leave one")

	s := startStranger(t)
	c := newConnected(t, "host="+s.socketDir+" user=loader dbname=postgres port="+itoa(s.port))
	c.Experiment.Dataset.Tablespace = "cold"
	mustRefuse(t, c.Start(t.Context()), "the server has no tablespace cold in which the user may create tables", "GRANT CREATE ON TABLESPACE")
	s.exec(t, "CREATE TABLESPACE cold LOCATION "+literal(testDir(t)))
	mustRefuse(t, c.Start(t.Context()), "the server has no tablespace cold", "GRANT CREATE")
	s.exec(t, "GRANT CREATE ON TABLESPACE cold TO loader")
	must(t, c.Start(t.Context()))
	must(t, c.Load(t.Context(), nil))
	e, err := c.Describe(t.Context())
	must(t, err)
	if len(e.Dataset.Tablespaces) != 1 || e.Dataset.Tablespaces[0].Name != "cold" || e.Dataset.Tablespaces[0].Bytes < 10<<20 {
		t.Errorf("tablespaces %+v", e.Dataset.Tablespaces)
	}
	must(t, c.Remove(t.Context()))
}

// TestLiteral reads literals back from a server, with either meaning of the backslash.
func TestLiteral(t *testing.T) {
	t.Parallel()
	own := startOwn(t, bareConfig(t, oneInstalled(t)))
	for _, conforming := range []string{"on", "off"} {
		must(t, own.use(t.Context(), "", func(conn *pgx.Conn) error {
			if _, err := conn.Exec(t.Context(), "SET standard_conforming_strings = "+conforming); err != nil {
				return err
			}
			for _, text := range []string{"/plain", `/it's`, `/a\b\'`, "/ü ${x}"} {
				results, err := conn.PgConn().Exec(t.Context(), "SELECT "+literal(text)).ReadAll()
				if err != nil {
					return err
				}
				if got := string(results[0].Rows[0][0]); got != text {
					t.Errorf("%q came back as %q", text, got)
				}
			}
			return nil
		}))
	}
}
