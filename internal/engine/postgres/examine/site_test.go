package examine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"plinth/internal/engine/postgres/leftover"
)

func TestQuantitiesOfSettings(t *testing.T) {
	for _, c := range []struct {
		value, unit string
		bytes       int64
		ok          bool
	}{
		{"128MB", "8kB", 128 << 20, true}, {"16", "8kB", 16 * 8192, true}, {"-1", "8kB", -8192, true}, {"5min", "s", 0, false}, {"4", "", 0, false}, {"x", "MB", 0, false},
	} {
		if got, ok := (Setting{Value: c.value, Unit: c.unit}).Bytes(); got != c.bytes && c.ok || ok != c.ok {
			t.Errorf("%s of %s is %d bytes, %v", c.value, c.unit, got, ok)
		}
	}
	if s, ok := (Setting{Value: "5min", Unit: "s"}).Seconds(); s != 300 || !ok {
		t.Errorf("5min is %v s, %v", s, ok)
	}
	if n, ok := (Setting{Value: "1.1"}).Number(); n != 1.1 || !ok {
		t.Errorf("1.1 is %v, %v", n, ok)
	}
}

// TestLocate checks that a lock file of another server, or a damaged one, does not make a server
// local.
func TestLocate(t *testing.T) {
	now := time.Now()
	dir := t.TempDir()
	facts := Facts{Transport: "tcp", Started: now, Settings: []Setting{{Name: "data_directory", Value: dir}, {Name: "port", Value: "5433"}}}
	lock := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, leftover.LockName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, text string
		local      bool
	}{
		{"none", "", false},
		{"the server's", fmt.Sprintf("1\n%s\n%d\n5433\n/tmp\n", dir, now.Unix()-2), true},
		{"another port", fmt.Sprintf("1\n%s\n%d\n5432\n/tmp\n", dir, now.Unix()), false},
		{"another time", fmt.Sprintf("1\n%s\n%d\n5433\n/tmp\n", dir, now.Unix()-3600), false},
		{"no time", "1\nx\ny\n5433\n", false}, {"short", "1\n", false}, {"binary", "\x00\xff\n\n\n\n\n", false},
	} {
		lock(c.text)
		if site := Locate(facts); site.Local != c.local {
			t.Errorf("with %s it is taken as local: %v", c.name, site.Local)
		}
	}
	lock(fmt.Sprintf("1\n%s\n%d\n5433\n/tmp\n", dir, now.Unix()))
	facts.Tablespaces = []Tablespace{{"fast", "/nowhere/at/all"}}
	site := Locate(facts)
	if site.CPUs != "" {
		t.Errorf("process 1 is no server, and is said to run on %s", site.CPUs)
	}
	var missing []string
	for _, g := range site.Gaps {
		missing = append(missing, g.What)
	}
	if want := []string{"the filesystem of pg_wal", "the filesystem that holds tablespace fast"}; !slices.Equal(missing, want) || site.Places["data"] != dir {
		t.Errorf("it is at %+v, want gaps %v", site, want)
	}
	facts.Transport, facts.Settings = "socket", nil
	if site := Locate(facts); !site.Local || len(site.Gaps) != 1 || site.Gaps[0].Role != "pg_read_all_settings" {
		t.Errorf("without its data_directory it is at %+v", site)
	}
}

// TestLocateWALElsewhere checks a pg_wal that is a symbolic link.
func TestLocateWALElsewhere(t *testing.T) {
	dir, wal := t.TempDir(), t.TempDir()
	if err := os.Symlink(wal, filepath.Join(dir, "pg_wal")); err != nil {
		t.Fatal(err)
	}
	site := Locate(Facts{Transport: "socket", Settings: []Setting{{Name: "data_directory", Value: dir}}})
	if site.Places["wal"] != wal || site.Places["data"] != dir {
		t.Errorf("it is at %+v", site)
	}
}
