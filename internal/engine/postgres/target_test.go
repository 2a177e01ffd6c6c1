//go:build linux

package postgres

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTargetHoldsNoSecret is about where pgbench finds the password: by itself
// where it can, in its environment otherwise, and never on its command line.
func TestTargetHoldsNoSecret(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	none, all := file("none", ""), file("all", "h:5432:*:u:hush\n")
	one, service := file("one", "h:5432:db:u:hush\n"), file("service", "[prod]\nhost=h\nuser=u\npassword=hush\n")
	const conninfo = "host=h port=5432 user=u dbname=plinth_test1"
	for _, test := range []struct {
		name, connect string
		variables     map[string]string
		conninfo      string
		env           []string
	}{
		{"URI", "postgresql://u:hush@h/db", nil, "host=h port=5432 user=u dbname=plinth_test1", []string{"PGPASSWORD=hush"}},
		{"keywords", "host=h user=u password=hush dbname=db", nil, conninfo, []string{"PGPASSWORD=hush"}},
		{"no password", "postgresql://u@h/db", nil, conninfo, nil},
		{"environment", "", map[string]string{"PGHOST": "h", "PGUSER": "u", "PGDATABASE": "db", "PGPASSWORD": "hush"}, conninfo, nil},
		{"password file", "postgresql://u@h/db", map[string]string{"PGPASSFILE": all}, conninfo, nil},
		{"password file for the other database", "postgresql://u@h/db", map[string]string{"PGPASSFILE": one}, conninfo, []string{"PGPASSWORD=hush"}},
		{"service", "service=prod", map[string]string{"PGSERVICEFILE": service}, "service=prod " + conninfo, nil},
		{"options of libpq's", "postgresql://u@h/db?sslmode=require&keepalives=0", nil, "sslmode=require keepalives=0 " + conninfo, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("PGPASSFILE", none)
			for name, value := range test.variables {
				t.Setenv(name, value)
			}
			got := newConnected(t, test.connect).Target()
			if added := added(got.Env); got.Conninfo != test.conninfo || !slices.Equal(added, test.env) {
				t.Errorf("got %q, %q\nwant %q, %q", got.Conninfo, added, test.conninfo, test.env)
			}
			if strings.Contains(got.Conninfo, "hush") {
				t.Error("the password is to be seen")
			}
		})
	}
}

// added is what env has beyond this process's environment and its language.
func added(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		return variable == "LC_ALL=C" || slices.Contains(os.Environ(), variable)
	})
}

// TestOwnServerIgnoresTheEnvironment: what a user has set for other servers is
// not for plinth's own.
func TestOwnServerIgnoresTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"PGHOST": "elsewhere.invalid", "PGPORT": "1", "PGUSER": "nobody", "PGDATABASE": "none", "PGPASSWORD": "x",
		"PGSSLMODE": "verify-full", "PGREQUIREAUTH": "scram-sha-256", "PGCHANNELBINDING": "require",
		"PGOPTIONS": "-c work_mem=1GB", "PGTARGETSESSIONATTRS": "standby", "PGDATA": "/none", "PGHOSTADDR": "127.0.0.1", "LC_ALL": "de_DE.UTF-8",
	} {
		t.Setenv(name, value)
	}
	config := ownConfig(t, oneInstalled(t))
	own := startOwn(t, config)
	must(t, own.Load(t.Context(), nil))
	drive(t, own.Target())
	e, err := own.Describe(t.Context())
	must(t, err)
	if e.Settings["work_mem"] != "4MB" {
		t.Errorf("work_mem is %s", e.Settings["work_mem"])
	}
}
