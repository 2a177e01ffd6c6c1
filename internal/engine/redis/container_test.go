//go:build linux

package redis

import (
	"os"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/conninfo"
	"plinth/internal/engine/enginetest"
	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/examine"
	"plinth/internal/host"
)

// contained is a server in a container, with its data in /srv/1.
type contained struct {
	*enginetest.Container
	dir string // here
}

// startContained starts a server whose paths, port, and process ID are those of all others that it starts.
func startContained(t *testing.T, program Program) contained {
	t.Helper()
	c := contained{dir: testDir(t)}
	c.Container = enginetest.StartContainer(t, testUser(t), program.Path+
		" --dir /srv/1 --bind 127.0.0.1 --port 6379 --appendonly yes --save '' --protected-mode no", c.dir)
	rdb := client.New(&goredis.Options{Addr: c.Forward(t, "127.0.0.1:6379", 0)})
	t.Cleanup(func() { _ = rdb.Close() })
	must(t, life.Poll(t.Context(), patience, func() bool { return rdb.Ping(t.Context()).Err() == nil }))
	return c
}

func (c contained) uri(t *testing.T, from int) conninfo.Conninfo {
	return conninfo.Conninfo("redis://" + c.Forward(t, "127.0.0.1:6379", from))
}

// TestContainers checks that a server in a container is found among others that look the same, with its
// directory as it is here, and that a server that cannot be told from another one is not.
func TestContainers(t *testing.T) {
	t.Parallel()
	for _, program := range testPrograms(t) {
		one, two := startContained(t, program), startContained(t, program)
		for _, c := range []contained{one, two} {
			f, err := examine.Read(t.Context(), c.uri(t, 0))
			must(t, err)
			site := examine.Locate(f)
			if !site.Local || site.PID != c.PID || site.CPUs == "" || site.Files == 0 || len(site.Gaps) > 0 {
				t.Fatalf("process %d is found as %+v", c.PID, site)
			}
			got, err := os.Stat(site.Places["data"])
			must(t, err)
			want, err := os.Stat(c.dir)
			must(t, err)
			if !os.SameFile(got, want) || host.PathInside(site.Places["data"]) != "/srv/1" {
				t.Errorf("%s is not %s", site.Places["data"], c.dir)
			}
		}

		// Both servers get a connection with the same addresses and ports.
		const port = 40404
		other := client.New(&goredis.Options{Addr: two.Forward(t, "127.0.0.1:6379", port)})
		defer func() { _ = other.Close() }()
		must(t, other.Ping(t.Context()).Err())
		f, err := examine.Read(t.Context(), one.uri(t, port))
		must(t, err)
		if site := examine.Locate(f); site.Local || len(site.Gaps) != 1 {
			t.Errorf("of two equal connections, one is taken: %+v", site)
		}
	}
}

// TestConnectedContainer checks what the record has of a server in a container.
func TestConnectedContainer(t *testing.T) {
	t.Parallel()
	contained := startContained(t, oneInstalled(t))
	c := newConnected(t, string(contained.uri(t, 0)))
	must(t, c.Start(t.Context()))
	defer func() { must(t, c.Remove(t.Context())) }()
	e, err := c.Describe(t.Context())
	must(t, err)
	here, err := host.PlaceOf("data", contained.dir)
	must(t, err)
	if e.Elsewhere || c.PID() != contained.PID || len(e.Volumes) != 1 {
		t.Fatalf("process %d has volumes %+v, elsewhere: %t", c.PID(), e.Volumes, e.Elsewhere)
	}
	if v := e.Volumes[0]; v.Path != "/srv/1" || v.Filesystem != here.Filesystem || v.Source != here.Source || v.Device != here.Device() {
		t.Errorf("its data are on %+v, want %+v", v, here)
	}
	did, err := c.Activity(t.Context())
	must(t, err)
	if did.PID != contained.PID {
		t.Errorf("activity of process %d", did.PID)
	}
}
