//go:build linux

package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/console"
	"plinth/internal/engine/postgres/examine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// openConsole opens the console of a stranger as the given user.
func openConsole(t *testing.T, s *stranger, user string) *console.Console {
	t.Helper()
	where := fmt.Sprintf("host=%s port=%d user=%s dbname=postgres", s.socketDir, s.port, user)
	f := look(t, where)
	c, err := console.Open(t.Context(), conninfo.Conninfo(where), examine.Locate(f))
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

func parameter(t *testing.T, c *console.Console, name string) console.Parameter {
	t.Helper()
	p, there, err := c.Parameter(t.Context(), name)
	must(t, err)
	if !there {
		t.Fatalf("there is no %s", name)
	}
	return p
}

// TestConsole checks that a setting lasts, takes effect after a reload, and is restored to what
// it was: absent, or a value that another user had set.
func TestConsole(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := openConsole(t, s, "boss")
	if c.Name() != "PostgreSQL in "+s.dir || c.PID() == 0 {
		t.Errorf("it is %s, process %d", c.Name(), c.PID())
	}
	for _, before := range []*string{nil, pointer("150ms")} {
		if before != nil {
			must(t, c.Set(t.Context(), "bgwriter_delay", before))
		}
		must(t, c.Set(t.Context(), "bgwriter_delay", pointer("10ms")))
		must(t, c.Reload(t.Context()))
		p := parameter(t, c, "BgWriter_Delay")
		if p.Value != "10ms" || p.Restart || !p.Settable {
			t.Errorf("after it was set: %+v", p)
		}
		if got, err := c.Lasting(t.Context(), "bgwriter_delay"); err != nil || got == nil || *got != "10ms" {
			t.Errorf("what lasts is %v, %v", got, err)
		}
		must(t, c.Set(t.Context(), "bgwriter_delay", before))
		must(t, c.Reload(t.Context()))
		got, err := c.Lasting(t.Context(), "bgwriter_delay")
		if err != nil || (got == nil) != (before == nil) || got != nil && *got != *before {
			t.Errorf("put back it is %v, %v", got, err)
		}
	}
}

// TestConsoleConnectsAgain checks that a console survives the end of its session, as by a restart of the server.
func TestConsoleConnectsAgain(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := openConsole(t, s, "boss")
	must(t, c.Set(t.Context(), "bgwriter_delay", pointer("10ms")))
	s.exec(t, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'boss' AND pid <> pg_backend_pid()")
	got, err := c.Lasting(t.Context(), "bgwriter_delay")
	if err != nil || got == nil || *got != "10ms" {
		t.Errorf("what lasts is %v, %v", got, err)
	}
	must(t, c.Set(t.Context(), "bgwriter_delay", nil))
	must(t, c.Reload(t.Context()))
}

// TestConsoleCompares checks that lists are compared by their names, whatever their spelling, that an empty one, which
// ALTER SYSTEM would store as a name, is refused, and that a value is not in force if the next start brings another one.
func TestConsoleCompares(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := openConsole(t, s, "boss")
	must(t, c.Set(t.Context(), "search_path", pointer("one,two")))
	must(t, c.Reload(t.Context()))
	p := parameter(t, c, "search_path")
	if same, err := p.Same("one,two"); err != nil || !same {
		t.Errorf("%s: %v, %v", p.Value, same, err)
	}
	if _, err := p.Same(""); err == nil || !strings.Contains(err.Error(), "empty list") {
		t.Errorf("an empty list: %v", err)
	}
	if p := parameter(t, c, "log_disconnections"); !p.NewSessions {
		t.Errorf("only new sessions have it: %+v", p)
	}
	must(t, c.Set(t.Context(), "shared_buffers", pointer("32MB")))
	must(t, c.Reload(t.Context()))
	if same, err := parameter(t, c, "shared_buffers").Same("16MB"); err != nil || same {
		t.Errorf("the running value while another one is pending: %v, %v", same, err)
	}
}

func pointer(text string) *string { return &text }

// TestConsoleParameters checks the server's own verdict on values and on what cannot be set.
func TestConsoleParameters(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := openConsole(t, s, "boss")
	for _, tc := range []struct {
		name, value string
		same        bool
		refused     string
	}{
		{"shared_buffers", "16MB", true, ""},
		{"shared_buffers", "2048", true, ""}, // of 8kB
		{"shared_buffers", "0.015625GB", true, ""},
		{"shared_buffers", "32MB", false, ""},
		{"shared_buffers", "1kB", false, "outside the valid range"},
		{"shared_buffers", "1 KiB", false, "invalid value"},
		{"work_mem", "4096", true, ""},
		{"work_mem", "4MB", true, ""},
		{"work_mem", "4mb", false, "invalid value for parameter"},
		{"random_page_cost", "4.0", true, ""},
		{"random_page_cost", "-1", false, "outside the valid range"},
		{"huge_pages", "try", true, ""},
		{"huge_pages", "always", false, "invalid value"},
		{"fsync", "no", true, ""},
		{"fsync", "perhaps", false, "Boolean"},
		{"checkpoint_timeout", "300", true, ""},
		{"checkpoint_timeout", "5min", true, ""},
		{"checkpoint_timeout", "2d", false, "outside the valid range"},
		{"bgwriter_lru_maxpages", "100", true, ""},
		{"bgwriter_lru_maxpages", "-1", false, "outside the valid range"},
		{"commit_delay", "0", true, ""},
		{"statement_timeout", "0", true, ""}, // not what plinth's own session has
		{"statement_timeout", "3s", false, ""},
		{"lock_timeout", "500ms", false, ""},
		{"commit_delay", "200000", false, "outside the valid range"},
	} {
		same, err := parameter(t, c, tc.name).Same(tc.value)
		switch {
		case tc.refused == "" && (err != nil || same != tc.same):
			t.Errorf("%s %s: %v, %v; want %v", tc.name, tc.value, same, err, tc.same)
		case tc.refused != "" && (err == nil || !strings.Contains(err.Error(), tc.refused)):
			t.Errorf("%s %s: error %v, want %s", tc.name, tc.value, err, tc.refused)
		}
	}
	if p := parameter(t, c, "shared_buffers"); !p.Restart || !p.Settable {
		t.Errorf("shared_buffers: %+v", p)
	}
	for name, why := range map[string]string{
		"block_size": "fixed", "archive_command": "secret",
	} {
		if p := parameter(t, c, name); p.Settable || !strings.Contains(p.Why, why) {
			t.Errorf("%s: %+v, want one that is %s", name, p, why)
		}
	}
	if _, there, err := c.Parameter(t.Context(), "no_such"); there || err != nil {
		t.Errorf("no_such: %v, %v", there, err)
	}
	if names, err := c.Names(t.Context()); err != nil || len(names) < 200 {
		t.Errorf("%d names, %v", len(names), err)
	}
}

// TestConsoleLists checks that a list of names is not set as one name with commas.
func TestConsoleLists(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := openConsole(t, s, "boss")
	must(t, c.Set(t.Context(), "search_path", pointer(`public, "$user"`)))
	text, err := os.ReadFile(filepath.Join(s.dir, "postgresql.auto.conf"))
	must(t, err)
	if !strings.Contains(string(text), `search_path = 'public, "$user"'`) {
		t.Errorf("it became %s", text)
	}
	must(t, c.Set(t.Context(), "cluster_name", pointer(`a'b\c`)))
	if got, err := c.Lasting(t.Context(), "cluster_name"); err != nil || got == nil || *got != `a'b\c` {
		t.Errorf("it became %v, %v", got, err)
	}
}

// TestConsoleOfAnOrdinaryRole checks that the role learns what it may not do, and who may.
func TestConsoleOfAnOrdinaryRole(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := openConsole(t, s, "loader")
	if p := parameter(t, c, "work_mem"); p.Settable || !strings.Contains(p.Why, "superuser") {
		t.Errorf("%+v", p)
	}
	if err := c.Set(t.Context(), "work_mem", pointer("8MB")); err == nil || !strings.Contains(err.Error(), "cannot set work_mem: ERROR: ") {
		t.Errorf("error %v", err)
	}
	s.exec(t, "ALTER ROLE loader SET work_mem = '5MB'")
	s.exec(t, "ALTER ROLE boss SET work_mem = '5MB'")
	if p := parameter(t, openConsole(t, s, "boss"), "work_mem"); p.Settable || !strings.Contains(p.Why, "ALTER ROLE") {
		t.Errorf("%+v", p)
	}
}

// TestReloadOfABrokenFile expects the server's own words.
func TestReloadOfABrokenFile(t *testing.T) {
	t.Parallel()
	s := startStranger(t)
	c := openConsole(t, s, "boss")
	conf, err := os.OpenFile(filepath.Join(s.dir, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = conf.WriteString("no such thing\n")
	must(t, err)
	must(t, conf.Close())
	// Cancel once the server has rejected the file and the console is waiting for it.
	const waiting = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_conf_load_time()'"
	target := engine.Target{Conninfo: s.bossConninfo()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		_ = life.Poll(t.Context(), patience, func() bool {
			var n int
			return strings.Contains(s.log.String(), "contains errors") && reachOnce(t, target, waiting, &n) == nil && n > 0
		})
	}()
	if err := c.Reload(ctx); err == nil || !strings.Contains(err.Error(), "syntax error") {
		t.Errorf("error %v (hint %s)", err, hint.Of(err))
	}
}

// TestHugePages checks the program's own number, and that the estimate is not below it.
func TestHugePages(t *testing.T) {
	t.Parallel()
	settings := map[string]string{"shared_buffers": "1GB", "max_connections": "100", "unix_socket_directories": "/nowhere"}
	pages, err := HugePagesWith(t.Context(), experiment.Postgres{}, settings)
	must(t, err)
	about, err := HugePagesAbout("1GB", 2<<20)
	must(t, err)
	if pages < 512 || pages > about || about > 560 {
		t.Errorf("1GB takes %d pages, and by estimate %d", pages, about)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if again, err := HugePagesWith(ended, experiment.Postgres{}, settings); again != pages || err != nil {
		t.Errorf("asked again without time to compute, it takes %d pages: %v", again, err)
	}
	settings["shared_buffers"] = "nonsense"
	if _, err := HugePagesWith(t.Context(), experiment.Postgres{}, settings); err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("error %v", err)
	}
	if _, err := HugePagesWith(t.Context(), experiment.Postgres{Version: 14}, settings); err == nil {
		t.Error("PostgreSQL 14 computed it")
	}
}
