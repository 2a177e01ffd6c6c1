//go:build linux

package install

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// fakeInstallation creates a directory with programs that report the given version.
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
		{"none", 0, nil, nil, "", "cannot find PostgreSQL: no initdb in PLINTH_PG_BIN, PATH or where packages install it", "apk add postgresql; or set PLINTH_PG_BIN"},
		{"old", 0, nil, []string{old}, "", "(PostgreSQL 12.22 is older than 13, the oldest version that plinth supports)", "install"},
		{"new", 0, nil, []string{tooNew}, "", "(PostgreSQL 19devel is newer than 18, the newest version that plinth supports)", "install"},
		{"another version", 16, nil, []string{v15, v18}, "", "cannot find PostgreSQL 16: found only 15 in " + v15 + ", 18 in " + v18, "postgresql-16"},
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
	mustRefuse(t, err, "cannot find pgbench in PLINTH_PG_BIN, PATH or where packages install it (PostgreSQL 12.1 is older than 13, the oldest version that plinth supports)", "PLINTH_PG_BIN")
}

func TestProgramsInADirectory(t *testing.T) {
	v13, v15 := fakeInstallation(t, "13.1"), fakeInstallation(t, "15.18")
	mixed, lacking := fakeInstallation(t, "15.18"), fakeInstallation(t, "15.18")
	must(t, os.WriteFile(filepath.Join(mixed, "initdb"), []byte("#!/bin/sh\necho 'initdb (PostgreSQL) 15.17'\n"), 0o755))
	must(t, os.Remove(filepath.Join(lacking, "postgres")))
	for _, test := range []struct {
		dir           string
		version       int
		words, advice string
	}{
		{v13, 0, "", ""},
		{v15, 15, "", ""},
		{v15, 13, v15 + " contains PostgreSQL 15, not 13", "leave version out"},
		{mixed, 0, mixed + " mixes versions: postgres is 15.18, initdb is 15.17", "make install"},
		{lacking, 0, "cannot use the programs in " + lacking + ": there is no program " + lacking + "/postgres", "give the directory of initdb and postgres"},
		{fakeInstallation(t, "19devel"), 0, "PostgreSQL 19devel is newer than 18", ""},
	} {
		got, err := programsIn(launcher, test.version, test.dir)
		if test.words != "" {
			mustRefuse(t, err, test.words, test.advice)
			continue
		}
		must(t, err)
		if got.Postgres != filepath.Join(test.dir, "postgres") || got.Version == 0 {
			t.Errorf("found %+v", got)
		}
	}
}
