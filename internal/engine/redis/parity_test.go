//go:build linux

package redis

import (
	"maps"
	"strings"
	"testing"

	"plinth/internal/engine/redis/client"
	"plinth/internal/record"
)

func TestParity(t *testing.T) {
	base := func(name string) record.Environment {
		return record.Environment{
			Name: name, Version: "7.0.15", VersionN: 70015, Transport: "socket", RoundTrip: 20_000,
			Settings: map[string]string{"save": "3600 1", "appendonly": "no", "maxmemory": "0", "io-threads": "1", "dir": "/" + name, "port": "0"},
			Declared: map[string]string{}, Dataset: record.Dataset{Rows: 1000, Bytes: 10 << 20},
		}
	}
	for _, test := range []struct {
		name   string
		change func(*record.Environment)
		notes  map[string]string
	}{
		{"alike", func(e *record.Environment) { e.Settings["port"] = "5000" }, nil},
		{"where load generators elsewhere reach it", func(e *record.Environment) {
			e.Address, e.Settings["port"], e.Settings["bind"], e.Settings["protected-mode"] = "192.0.2.1:40001", "40001", "192.0.2.1", "no"
		}, nil},
		{"version", func(e *record.Environment) { e.Version = "7.0.16" }, map[string]string{"parity-version": "version: 7.0.15 / 7.0.16"}},
		{"persistence", func(e *record.Environment) { e.Settings["appendonly"], e.Settings["save"] = "yes", "" },
			map[string]string{"parity-persistence": `persistence: appendonly: no / yes, save: 3600 1 / ""`}},
		{"declared", func(e *record.Environment) {
			e.Settings["appendonly"], e.Declared["appendonly"] = "yes", "yes"
		}, nil},
		{"memory and others", func(e *record.Environment) { e.Settings["maxmemory"], e.Settings["io-threads"] = "100", "4" },
			map[string]string{"parity-memory": "memory: maxmemory: 0 / 100", "parity-settings": "settings: io-threads: 1 / 4"}},
		{"dataset", func(e *record.Environment) { e.Dataset.Rows = 2000 }, map[string]string{"parity-dataset": "rows: 1000 / 2000"}},
		{"declared dataset", func(e *record.Environment) { e.Dataset.Rows, e.Declared["dataset"] = 2000, "2000 keys of 1 kB" }, nil},
		{"noise", func(e *record.Environment) { e.Dataset.Bytes += 200_000 }, nil},
		{"round trip", func(e *record.Environment) { e.RoundTrip = 1e6 }, map[string]string{"parity-round-trip": "round trip of a PING: 20µs / 1ms"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			other := base("b")
			test.change(&other)
			wanted := maps.Clone(test.notes)
			for _, note := range (Kind{}).Parity(base("a"), other) {
				if words, found := wanted[note.Rule]; !found || !strings.HasPrefix(note.Text, "a and b differ in ") || !strings.Contains(note.Text, words) {
					t.Errorf("named %+v", note)
				}
				delete(wanted, note.Rule)
			}
			if len(wanted) > 0 {
				t.Errorf("not named: %v", wanted)
			}
		})
	}
}

// TestServerLog uses captured lines; their forms are those of all versions.
func TestServerLog(t *testing.T) {
	log := newServerLog()
	for _, line := range []string{
		"21864:C 22 Nov 2026 01:11:40.815 # Configuration loaded",
		"2622:M 22 Nov 2026 01:40:55.001 * 10 changes in 300 seconds. Saving...",
		"2622:M 22 Nov 2026 01:40:55.002 * Background saving started by pid 2700",
		"2700:C 22 Nov 2026 01:40:55.012 # Write error saving DB on disk: No space left on device",
		"2622:M 22 Nov 2026 01:40:55.103 # Background saving error",
		"2622:M 22 Nov 2026 01:40:56.103 * Background append only file rewriting started by pid 2701",
		"2622:M 22 Nov 2026 01:40:57.103 * Background append only file rewriting started by pid 2702",
		"no line of a log",
	} {
		_, err := log.Write([]byte(line + "\n"))
		must(t, err)
	}
	if log.Said().warning != "Write error saving DB on disk: No space left on device" || log.Said().forked(savesCount) != 1 || log.Said().forked(rewritesCount) != 2 {
		t.Errorf("%q, %v", log.Said().warning, log.Said())
	}
	log.Forget()
	if log.Said().warning != "" || log.Said().forked(savesCount) != 0 || !strings.Contains(log.String(), "2702") {
		t.Error("the troubles are not forgotten, or the lines are")
	}
}

func TestProgramOf(t *testing.T) {
	for said, want := range map[string]Program{
		"Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=x": {client.Redis, "/p", "7.0.15", 70015},
		"Valkey server v=9.1.2 sha=00000000:1 malloc=libc bits=64 build=x":           {client.Valkey, "/p", "9.1.2", 90102},
		"Redis server v=255.255.255 sha=0":                                           {client.Redis, "/p", "255.255.255", 999999},
	} {
		if got, err := programOf("/p", said); err != nil || got != want {
			t.Errorf("%s gave %+v, %v", said, got, err)
		}
	}
	for said, words := range map[string]string{
		"Redis server v=5.0.14 sha=0": "Redis 5.0.14, older than 6", "postgres (PostgreSQL) 15": "is neither Redis nor Valkey", "": "is neither Redis",
	} {
		if _, err := programOf("/p", said); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s gave %v", said, err)
		}
	}
}
