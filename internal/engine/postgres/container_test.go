//go:build linux

package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
	"plinth/internal/engine/enginetest"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/examine"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/host"
	"plinth/internal/host/launch"
)

// contained is a server in a container, with its data in /srv/1 and its WAL in /srv/2.
type contained struct {
	*enginetest.Container
	dir, wal string // here
}

// startContained starts a server whose paths, port, and process ID are those of all others that it starts.
func startContained(t *testing.T) contained {
	t.Helper()
	programs, user := oneInstalled(t), testUser(t)
	c := contained{dir: testDir(t), wal: testDir(t)}
	must(t, install.Run(t.Context(), launcher, launch.Command{
		Path: programs.Initdb, Env: install.Env(), Dir: c.dir, User: user,
		Args: []string{"-D", c.dir, "-U", "boss", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"},
	}))
	must(t, os.Rename(filepath.Join(c.dir, "pg_wal"), filepath.Join(c.wal, "wal")))
	must(t, os.Symlink("/srv/2/wal", filepath.Join(c.dir, "pg_wal")))
	c.Container = enginetest.StartContainer(t, user, programs.Postgres+
		" -D /srv/1 -p 5432 -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c shared_buffers=16MB -c fsync=off", c.dir, c.wal)
	at := c.uri(t, 0)
	if life.Poll(t.Context(), patience, func() bool {
		conn, err := pgx.Connect(t.Context(), at)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err == nil
	}) != nil {
		t.Fatal("the server in the container does not start")
	}
	return c
}

// uri returns a connection string that leads to the server from a port in its network; 0 for any.
func (c contained) uri(t *testing.T, from int) string {
	return "postgresql://boss@" + c.Forward(t, "127.0.0.1:5432", from) + "/postgres?sslmode=disable"
}

// mustBe checks that a directory is that of this server.
func mustBe(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.Stat(path)
	must(t, err)
	is, err := os.Stat(want)
	must(t, err)
	if !os.SameFile(got, is) {
		t.Errorf("%s is not %s", path, want)
	}
}

// TestContainers checks that a server in a container is found among others that look the same, with its
// directories as they are here, and that a server that cannot be told from another one is not.
func TestContainers(t *testing.T) {
	t.Parallel()
	one, two := startContained(t), startContained(t)
	for _, c := range []contained{one, two} {
		site := examine.Locate(look(t, c.uri(t, 0)))
		if !site.Local || site.PID != c.PID || site.CPUs == "" || len(site.Gaps) > 0 {
			t.Fatalf("process %d is found as %+v", c.PID, site)
		}
		mustBe(t, site.Places["data"], c.dir)
		mustBe(t, site.Places["wal"], filepath.Join(c.wal, "wal"))
		if wal := host.PathInside(site.Places["wal"]); wal != "/srv/2/wal" {
			t.Errorf("the server has its WAL in %s", wal)
		}
	}

	// Both servers get a connection with the same addresses and ports, from processes with the same ID.
	// Another process of a server may take an ID in between.
	for attempt := range 50 {
		id := one.next(t)
		for other := two.next(t); other != id; {
			if other < id {
				other = two.next(t)
			} else {
				id = one.next(t)
			}
		}
		port := 40404 + attempt
		other, err := pgx.Connect(t.Context(), two.uri(t, port))
		must(t, err)
		f, err := examine.Read(t.Context(), conninfo.Conninfo(one.uri(t, port)))
		must(t, err)
		must(t, other.Close(t.Context()))
		site := examine.Locate(f)
		if !site.Local && len(site.Gaps) == 1 && strings.Contains(site.Gaps[0].Why, "both have such a connection") {
			return
		}
		if site.PID != one.PID {
			t.Fatalf("of two equal connections, one is taken: %+v", site)
		}
	}
	t.Error("no two connections were equal")
}

// next returns the process ID of a new session, in the container.
func (c contained) next(t *testing.T) (id int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.uri(t, 0))
	must(t, err)
	must(t, conn.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&id))
	must(t, conn.Close(t.Context()))
	return id
}

// TestConnectedContainer checks what the record has of a server in a container, and that the CPU time of its
// processes is not that of others with their IDs.
func TestConnectedContainer(t *testing.T) {
	t.Parallel()
	contained := startContained(t)
	c := newConnected(t, contained.uri(t, 0))
	must(t, c.Start(t.Context()))
	defer func() { must(t, c.Remove(t.Context())) }()
	must(t, c.Load(t.Context(), nil))
	e, err := c.Describe(t.Context())
	must(t, err)
	if e.Elsewhere || len(e.Volumes) != 2 || c.PID() != contained.PID {
		t.Fatalf("process %d has volumes %+v, elsewhere: %t", c.PID(), e.Volumes, e.Elsewhere)
	}
	for i, want := range []struct{ path, dir string }{{"/srv/1", contained.dir}, {"/srv/2/wal", contained.wal}} {
		here, err := host.PlaceOf("data", want.dir)
		must(t, err)
		v := e.Volumes[i]
		if v.Path != want.path || v.Filesystem != here.Filesystem || v.Source != here.Source || v.Device != here.Device() || v.Size != here.Size {
			t.Errorf("%s is %+v, want %+v", want.path, v, here)
		}
	}
	did, err := c.Activity(t.Context())
	must(t, err)
	if did.PID != contained.PID {
		t.Errorf("activity of process %d", did.PID)
	}
	conn, err := pgx.Connect(t.Context(), contained.uri(t, 0))
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var inner int
	must(t, conn.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&inner))
	used := host.ProcessTimeBeside(c.PID())
	for range 2 { // the second time, it is known
		before, known := used(inner)
		_, err = conn.Exec(t.Context(), "SELECT sum(n) FROM generate_series(1, 300000) n")
		must(t, err)
		if after, still := used(inner); !known || !still || after <= before {
			t.Errorf("process %d used %v, and then %v", inner, before, after)
		}
	}
	if took, known := used(1 << 20); known {
		t.Errorf("a process that does not exist used %v", took)
	}
	if title, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", c.PID())); err != nil || !strings.Contains(string(title), "/srv/1") {
		t.Errorf("process %d is %q, %v", c.PID(), title, err)
	}
}
