//go:build linux

package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// fakeInstallation makes a directory with programs that say they are of a version.
func fakeInstallation(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"initdb", "postgres", "pgbench"} {
		text := fmt.Sprintf("#!/bin/sh\necho '%s (PostgreSQL) %s'\n", name, version)
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	return dir
}

func TestFindPrograms(t *testing.T) {
	old, v13, v15, v18, tooNew := fakeInstallation(t, "12.22"), fakeInstallation(t, "13.1"), fakeInstallation(t, "15.18 (Debian 15.18-0+deb12u1)"),
		fakeInstallation(t, "18beta1"), fakeInstallation(t, "19devel")
	links := t.TempDir() // as /usr/local/bin may be
	must(t, os.Symlink(filepath.Join(v15, "initdb"), filepath.Join(links, "initdb")))
	broken := t.TempDir()
	must(t, os.WriteFile(filepath.Join(broken, "initdb"), nil, 0o755))

	for _, test := range []struct {
		name          string
		version       int
		named, others []string
		dir           string
		words, advice string
	}{
		{"newest", 0, nil, []string{v13, v18, v15}, v18, "", ""},
		{"wanted", 13, nil, []string{v18, v13}, v13, "", ""},
		{"named before newer", 0, []string{v13}, []string{v18}, v13, "", ""},
		{"wanted is not the named", 18, []string{v13}, []string{v18}, v18, "", ""},
		{"symbolic link", 0, nil, []string{links}, v15, "", ""},
		{"others are passed over", 0, nil, []string{"/nowhere", "", old, tooNew, broken, v13}, v13, "", ""},
		{"none", 0, nil, nil, "", "cannot find PostgreSQL: no initdb in PLINTH_PG_BIN, PATH or /usr/lib/postgresql", "install the package postgresql, or set PLINTH_PG_BIN"},
		{"old", 0, nil, []string{old}, "", "(PostgreSQL 12.22 is older than 13)", "install"},
		{"new", 0, nil, []string{tooNew}, "", "(PostgreSQL 19devel is newer than 18, the newest that plinth knows)", "install"},
		{"another version", 16, nil, []string{v15, v18}, "", "cannot find PostgreSQL 16: there is 15 in " + v15 + ", 18 in " + v18, "postgresql-16"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := findPrograms(launcher, test.version, test.named, test.others)
			if test.words != "" {
				mustRefuse(t, err, test.words, test.advice)
				return
			}
			must(t, err)
			if got.Postgres != filepath.Join(test.dir, "postgres") || got.Initdb != filepath.Join(test.dir, "initdb") {
				t.Errorf("found %+v", got)
			}
		})
	}
}

func TestFindPgbench(t *testing.T) {
	v13, v15 := fakeInstallation(t, "13.1"), fakeInstallation(t, "15.18 (Debian 15.18-0+deb12u1)")
	wrapped := t.TempDir() // as Debian's /usr/bin
	must(t, os.WriteFile(filepath.Join(wrapped, "pg_wrapper"), []byte("#!/bin/sh\necho 'pgbench (PostgreSQL) 17.1'\n"), 0o755))
	must(t, os.Symlink("pg_wrapper", filepath.Join(wrapped, "pgbench")))

	path, version, err := findPgbench(launcher, nil, []string{wrapped, v13, v15})
	if path != filepath.Join(v15, "pgbench") || version != "15.18" || err != nil {
		t.Errorf("found %s, %s, %v", path, version, err)
	}
	path, _, err = findPgbench(launcher, []string{v13}, []string{v15})
	if path != filepath.Join(v13, "pgbench") || err != nil {
		t.Errorf("found %s, %v", path, err)
	}
	_, _, err = findPgbench(launcher, nil, []string{wrapped, fakeInstallation(t, "12.1")})
	mustRefuse(t, err, "cannot find pgbench in PLINTH_PG_BIN, PATH or /usr/lib/postgresql (PostgreSQL 12.1 is older than 13)", "PLINTH_PG_BIN")
}

// needsOfTablespaces wants the parts of the dataset where they are put; all is
// what one volume has to hold.
func needsOfTablespaces(t *testing.T, exp *experiment.Experiment, all int64) {
	t.Helper()
	place := experiment.Volume{Directory: "/x"}
	env := experiment.Environment{Storage: experiment.Storage{
		Temp: place, Tablespaces: []experiment.Tablespace{{Name: "cold", Volume: place}, {Name: "spare", Volume: place}},
	}}
	exp.Dataset.Tablespace, exp.Dataset.IndexSpace = "cold", "pg_default"
	needs, err := Needs(exp, env)
	must(t, err)
	v := needs.Volumes
	if len(v) != 4 || v["tablespace cold"] < 130e6 || v["tablespace spare"] != 0 || v["data"]+v["tablespace cold"] != all || v["temp"] < 20e6 {
		t.Errorf("tables in a tablespace need %v, all together %d", v, all)
	}
	exp.Dataset.Tablespace, exp.Dataset.IndexSpace = "", "spare"
	needs, err = Needs(exp, env)
	must(t, err)
	v = needs.Volumes
	if v["tablespace cold"] != 0 || v["tablespace spare"] < 22e6 || v["data"]+v["tablespace spare"] != all {
		t.Errorf("indexes in a tablespace need %v, all together %d", v, all)
	}
	exp.Dataset.IndexSpace = ""
}

func TestNeeds(t *testing.T) {
	exp := smallExperiment()
	exp.Dataset.Scale = 10
	exp.Settings = map[string]string{"Shared_Buffers": "1900MB", "max_connections": "839", "wal_buffers": "16MB", "max_wal_size": "2GB"}
	needs, err := Needs(exp, experiment.Environment{Name: "here"})
	must(t, err)
	// PostgreSQL 15 says shared_memory_size is 2002 MB.
	if mib := unit.Size(needs.SharedMemory) / unit.MiB; mib < 1970 || mib > 2030 {
		t.Errorf("shared memory is estimated as %d MiB", mib)
	}
	if needs.Memory-needs.SharedMemory < 150e6 || needs.Memory-needs.SharedMemory > 165e6 { // 157 MB were measured
		t.Errorf("the dataset is estimated as %d bytes", needs.Memory-needs.SharedMemory)
	}
	if len(needs.Volumes) != 1 || needs.Volumes["data"] < 2<<30 || needs.LoadTime <= 0 || needs.SwitchTime <= 0 {
		t.Errorf("needs %+v", needs)
	}
	apart, err := Needs(exp, experiment.Environment{Storage: experiment.Storage{WAL: experiment.Volume{Directory: "/wal"}}})
	must(t, err)
	if v := apart.Volumes; len(v) != 2 || v["wal"] < 2<<30 || v["data"]+v["wal"] != needs.Volumes["data"] {
		t.Errorf("with a WAL volume: %+v", apart)
	}
	needsOfTablespaces(t, exp, needs.Volumes["data"])
	none, err := Needs(exp, experiment.Environment{Connect: "host=there"})
	if err != nil || !reflect.DeepEqual(none, engine.Needs{LoadTime: needs.LoadTime}) {
		t.Errorf("a connected server needs %+v, %v", none, err)
	}
	exp.Settings["shared_buffers"] = "much"
	exp.Settings["Shared_Buffers"] = "much"
	_, err = Needs(exp, experiment.Environment{Name: "here"})
	mustRefuse(t, err, `environment here: shared_buffers: "much" is not an amount of memory`, "")
}

// TestManyClients: a server of plinth's own lets in all clients unless told
// otherwise.
func TestManyClients(t *testing.T) {
	own := newServer(t, ownConfig(t, Programs{}))
	for _, test := range []struct {
		clients       int
		connect, want string
	}{{50, "once", "100"}, {100, "once", "110"}, {100, "each", "210"}} {
		own.Experiment.Clients, own.Experiment.Connect = []int{1, test.clients}, test.connect
		if got := own.settings()["max_connections"]; got != test.want {
			t.Errorf("%d clients connecting %s: max_connections is %q", test.clients, test.connect, got)
		}
	}
	own.Experiment.Settings["Max_Connections"] = "839"
	if got := own.settings()["max_connections"]; got != "839" {
		t.Errorf("max_connections is %s, not as declared", got)
	}
}
