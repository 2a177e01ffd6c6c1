//go:build linux

package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/host/launch"
)

// TestTargetHoldsNoSecret checks where pgbench finds the password: on its own if it can,
// otherwise in its environment, and never on its command line.
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
		{"environment", "postgresql://", map[string]string{"PGHOST": "h", "PGUSER": "u", "PGDATABASE": "db", "PGPASSWORD": "hush"}, conninfo, nil},
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
			if added := added(got.Env.Environ()); got.Conninfo != test.conninfo || !slices.Equal(added, test.env) {
				t.Errorf("got %q, %q\nwant %q, %q", got.Conninfo, added, test.conninfo, test.env)
			}
			if strings.Contains(got.Conninfo, "hush") {
				t.Error("the password is to be seen")
			}
		})
	}
}

// added returns what env has beyond this process's environment and its language.
func added(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		return variable == "LC_ALL=C" || slices.Contains(os.Environ(), variable)
	})
}

// TestOwnServerIgnoresTheEnvironment checks that a user's variables for other servers do not
// affect plinth's own.
func TestOwnServerIgnoresTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"PGHOST": "elsewhere.invalid", "PGPORT": "1", "PGUSER": "nobody", "PGDATABASE": "none", "PGPASSWORD": "x",
		"PGSSLMODE": "verify-full", "PGREQUIREAUTH": "scram-sha-256", "PGCHANNELBINDING": "require",
		"PGOPTIONS": "-c work_mem=1GB", "PGTARGETSESSIONATTRS": "standby", "PGDATA": "/none", "PGHOSTADDR": "127.0.0.1",
		"PGTZ": "Asia/Tokyo", "PGSSLNEGOTIATION": "direct", "PGLOADBALANCEHOSTS": "random", "PGGSSENCMODE": "require", "LC_ALL": "de_DE.UTF-8",
	} {
		t.Setenv(name, value)
	}
	config := ownConfig(t, oneInstalled(t))
	own := startOwn(t, config)
	for _, variable := range own.Target().Env.Environ() {
		if strings.HasPrefix(variable, "PG") {
			t.Errorf("pgbench is given %s", variable)
		}
	}
	must(t, own.Load(t.Context(), nil))
	drive(t, own.Target())
	e, err := own.Describe(t.Context())
	must(t, err)
	if e.Settings["work_mem"] != "4MB" {
		t.Errorf("work_mem is %s", e.Settings["work_mem"])
	}
}

// TestSameServerForBoth checks that plinth's own session and pgbench reach the same server,
// however libpq is configured.
func TestSameServerForBoth(t *testing.T) {
	s := startStranger(t)
	password := ":" + strangerPasswordURI
	t.Setenv("PGPASSWORD", "of another server")
	for _, test := range []struct{ name, connect, variable string }{
		{"address of the environment", fmt.Sprintf("postgresql://loader%s@localhost:%d/postgres", password, s.port), "192.0.2.1"},
		{"address beside a socket", fmt.Sprintf("postgresql://loader%s@:%d/postgres?hostaddr=127.0.0.1", password, s.port), ""},
		{"socket with an address around", fmt.Sprintf("host=%s port=%d user=loader dbname=postgres", s.socketDir, s.port), "192.0.2.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.variable != "" {
				t.Setenv("PGHOSTADDR", test.variable)
			}
			c := newConnected(t, test.connect)
			must(t, c.Start(t.Context()))
			must(t, c.Load(t.Context(), nil))
			must(t, install.Run(t.Context(), launcher, launch.Command{
				Path: testPgbench(t), Args: []string{"-n", "-t", "1", c.Target().Conninfo}, Env: c.Target().Env.Environ(),
			}))
			must(t, c.Remove(t.Context()))
		})
	}
}

// TestSettingsOfTheClientAreDescribed checks that settings given to a session from outside are
// described: they apply to pgbench, too, so they are part of what is measured.
func TestSettingsOfTheClientAreDescribed(t *testing.T) {
	s := startStranger(t)
	const socket = "host=%s port=%d user=loader dbname=postgres"
	t.Setenv("PGOPTIONS", "-c synchronous_commit=off")
	for connect, want := range map[string]string{
		socket: "off", socket + " options='-c synchronous_commit=local'": "local",
	} {
		c := newConnected(t, fmt.Sprintf(connect, s.socketDir, s.port))
		defer c.close()
		must(t, c.Start(t.Context()))
		e, err := c.Describe(t.Context())
		must(t, err)
		if got := e.Settings["synchronous_commit"]; got != want {
			t.Errorf("synchronous_commit is described as %q, and is %s", got, want)
		}
		for _, own := range append([]string{"application_name"}, timeouts...) {
			if value, found := e.Settings[own]; found {
				t.Errorf("%s is that of plinth's own session: %q", own, value)
			}
		}
	}
}
