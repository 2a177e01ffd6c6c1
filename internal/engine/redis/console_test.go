//go:build linux

package redis

import (
	"strings"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/console"
	"plinth/internal/engine/redis/examine"
)

// TestConsole checks that a setting takes effect at once and is restored, and that a start-only
// setting is recognised without setting anything.
func TestConsole(t *testing.T) {
	t.Parallel()
	for _, program := range testPrograms(t) {
		t.Run(program.VersionText, func(t *testing.T) {
			t.Parallel()
			s := startStranger(t, program)
			conninfo := conninfo.Conninfo("unix://:" + strangerPasswordURI + "@" + s.socket)
			f, err := examine.Read(t.Context(), conninfo)
			must(t, err)
			c, err := console.Open(t.Context(), conninfo, examine.Locate(f))
			must(t, err)
			t.Cleanup(c.Close)
			if c.PID() != s.process.PID() || !strings.Contains(c.Name(), s.socket) {
				t.Errorf("it is %s, process %d", c.Name(), c.PID())
			}
			p, there, err := c.Parameter(t.Context(), "HZ")
			must(t, err)
			if same, err := p.Same("10"); !there || !p.Settable || p.Restart || !same || err != nil {
				t.Errorf("hz: %+v, %v, %v", p, same, err)
			}
			before, err := c.Lasting(t.Context(), "hz")
			must(t, err)
			value := "20"
			must(t, c.Set(t.Context(), "hz", &value))
			if p, _, err = c.Parameter(t.Context(), "hz"); err != nil || p.Value != "20" {
				t.Errorf("hz is %+v, %v", p, err)
			}
			must(t, c.Set(t.Context(), "hz", before))
			if p, _, err = c.Parameter(t.Context(), "hz"); err != nil || p.Value != "10" {
				t.Errorf("put back it is %+v, %v", p, err)
			}
			checkFixed(t, c, f)
		})
	}
}

func checkFixed(t *testing.T, c *console.Console, f examine.Facts) {
	t.Helper()
	if f.VersionN >= 70000 || f.Program == client.Valkey { // earlier versions do not report it
		p, there, err := c.Parameter(t.Context(), "databases")
		must(t, err)
		if !there || p.Settable || !p.Restart || !strings.Contains(p.Why, "redis.conf") {
			t.Errorf("databases: %+v", p)
		}
	}
	p, there, err := c.Parameter(t.Context(), "maxmemory")
	must(t, err)
	if same, err := p.Same("0mb"); !there || !same || err != nil {
		t.Errorf("maxmemory: %+v, %v, %v", p, same, err)
	}
	if p, _, err := c.Parameter(t.Context(), "requirepass"); err != nil || p.Settable || p.Value != "" {
		t.Errorf("requirepass: %+v, %v", p, err)
	}
	for _, name := range []string{"no-such", "*"} {
		if _, there, err := c.Parameter(t.Context(), name); there || err != nil {
			t.Errorf("%s: %v, %v", name, there, err)
		}
	}
	if err := c.Set(t.Context(), "hz", nil); err == nil {
		t.Error("it took back what was never there")
	}
	if names, err := c.Names(t.Context()); err != nil || len(names) < 100 {
		t.Errorf("%d names, %v", len(names), err)
	}
}

// TestConsoleRenamed checks a server whose CONFIG is renamed, as on managed servers.
func TestConsoleRenamed(t *testing.T) {
	t.Parallel()
	s := startStranger(t, oneInstalled(t), "--rename-command", "CONFIG", "")
	where := conninfo.Conninfo("unix://:" + strangerPasswordURI + "@" + s.socket)
	c, err := console.Open(t.Context(), where, examine.Site{})
	must(t, err)
	t.Cleanup(c.Close)
	if _, _, err := c.Parameter(t.Context(), "hz"); err == nil || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("error %v", err)
	}
	_, err = console.Open(t.Context(), conninfo.Conninfo("unix://:wr0ng@"+s.socket), examine.Site{})
	mustRefuse(t, err, "WRONGPASS", "give the right password")
}
