//go:build linux

package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/engine/redis/examine"
)

// TestExamine checks that each version reports everything and that its files are found, with the
// same result by socket and by port.
func TestExamine(t *testing.T) {
	t.Parallel()
	for _, program := range testPrograms(t) {
		t.Run(program.VersionText, func(t *testing.T) {
			t.Parallel()
			s := startStranger(t, program, "--appendonly", "yes", "--dir", ".")
			c := s.client(t)
			must(t, c.Set(t.Context(), "one", "1", 0).Err())
			must(t, c.Keys(t.Context(), "*").Err())
			for _, uri := range []string{
				"unix://:" + strangerPasswordURI + "@" + s.socket,
				fmt.Sprintf("redis://:%s@127.0.0.1:%d", strangerPasswordURI, s.port),
			} {
				f, err := examine.Read(t.Context(), conninfo.Conninfo(uri))
				must(t, err)
				s.check(t, f)
			}
		})
	}
}

func (s *stranger) check(t *testing.T, f examine.Facts) {
	t.Helper()
	if len(f.Gaps) > 0 {
		t.Errorf("gaps: %v", f.Gaps)
	}
	calls, took := f.Calls("keys")
	aof, save, known := f.Persists()
	if f.VersionN < 60000 || f.Slow < 0 || f.Memory["keys.count"] != 1 || calls == 0 || took <= 0 || !aof || save != "" || !known || f.Open == nil || *f.Open {
		t.Errorf("it tells %+v", f)
	}
	if age := time.Since(f.Started); age < -time.Second || age > patience {
		t.Errorf("it started %s ago", age)
	}
	if text := fmt.Sprintf("%+v", f); strings.Contains(text, strangerPassword) {
		t.Error("it shows the password")
	}
	site := examine.Locate(f)
	want, err := filepath.EvalSymlinks(s.dir)
	must(t, err)
	if !site.Local || site.PID != s.process.PID() || site.Places["data"] != want || site.CPUs == "" || site.Files == 0 || len(site.Gaps) > 0 {
		t.Errorf("it is at %+v, want %s of %d", site, want, s.process.PID())
	}
	if aof, there := site.Places["aof"]; there {
		t.Errorf("its append-only files, which lie beside, are %s", aof)
	}
}

// TestExamineRefused checks that an error says why access was denied and what to do, and holds no
// password.
func TestExamineRefused(t *testing.T) {
	t.Parallel()
	s := startStranger(t, oneInstalled(t))
	for uri, want := range map[string]string{
		"unix://" + s.socket:                        "NOAUTH",
		"unix://:wr0ng@" + s.socket:                 "WRONGPASS",
		"unix://" + s.socket + ".not":               "no such file",
		"redis://127.0.0.1:1":                       "connection refused",
		"redis://cache/first":                       "the connection string has an invalid database number",
		"rediss://localhost?cacert=/no/such/ca.pem": "cannot read cacert",
	} {
		_, err := examine.Read(t.Context(), conninfo.Conninfo(uri))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "wr0ng") {
			t.Errorf("%s: %v, want %s", uri, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := examine.Read(ctx, conninfo.Conninfo("unix://"+s.socket)); !errors.Is(err, context.Canceled) {
		t.Errorf("broken off: %v", err)
	}
}

// TestExamineRenamed checks that commands that are renamed or not permitted leave gaps with the
// server's words, and do not affect the rest.
func TestExamineRenamed(t *testing.T) {
	t.Parallel()
	s := startStranger(t, oneInstalled(t), "--rename-command", "CONFIG", "", "--rename-command", "SLOWLOG", "hidden")
	f, err := examine.Read(t.Context(), conninfo.Conninfo("unix://loader:"+strangerPasswordURI+"@"+s.socket))
	must(t, err)
	var got []string
	for _, g := range f.Gaps {
		got = append(got, g.What)
		if !strings.Contains(g.Why, "unknown command") && !strings.Contains(g.Why, "NOPERM") {
			t.Errorf("%s: %s", g.What, g.Why)
		}
	}
	want := []string{"settings (CONFIG GET)", "latency events (LATENCY LATEST)", "slow commands (SLOWLOG LEN)", "whether a password is needed (ACL GETUSER)"}
	if got = slices.DeleteFunc(got, func(g string) bool { return strings.HasPrefix(g, "memory") }); !slices.Equal(got, want) {
		t.Errorf("gaps %q, want %q", got, want)
	}
	if f.Version == "" || f.Slow != -1 || f.Open != nil || len(f.Settings) > 0 {
		t.Errorf("it tells %+v", f)
	}
	if site := examine.Locate(f); !site.Local || len(site.Places) > 0 || len(site.Gaps) != 1 {
		t.Errorf("it is at %+v", site)
	}
}

// TestExamineDeaf checks that a server that does not answer is given up.
func TestExamineDeaf(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	_, err = examine.Read(t.Context(), conninfo.Conninfo("redis://"+listener.Addr().String())) // it ends on its own
	if err == nil || !strings.Contains(err.Error(), "did not answer within 3s") {
		t.Errorf("%v", err)
	}
}
