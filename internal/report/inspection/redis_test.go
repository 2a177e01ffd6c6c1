package inspection_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"plinth/internal/inspect"
	"plinth/internal/report/inspection"
	"plinth/internal/report/reporttest"
)

func aRedis(t *testing.T) inspect.Inspection {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "inspect-redis.json"))
	if err != nil {
		t.Fatal(err)
	}
	var i inspect.Inspection
	if err := json.Unmarshal(text, &i); err != nil {
		t.Fatal(err)
	}
	return i
}

// TestRedisInspection inspects a Redis on another machine, in text and Markdown, within the
// width of the terminal.
func TestRedisInspection(t *testing.T) {
	i := aRedis(t)
	reporttest.Golden(t, filepath.Join("testdata", "inspect-redis.txt"), writeInspection(t, i, "text", inspection.Options{}))
	reporttest.Golden(t, filepath.Join("testdata", "inspect-redis.md"), writeInspection(t, i, "markdown", inspection.Options{}))
	for line := range strings.Lines(writeInspection(t, i, "text", inspection.Options{Width: 80})) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 || strings.Contains(line, "\x1b") {
			t.Errorf("a line is too wide, or plays with the terminal: %q", line)
		}
	}
}

// TestRedisReplicaWithoutFiles inspects a replica that keeps no file.
func TestRedisReplicaWithoutFiles(t *testing.T) {
	i := aRedis(t)
	i.Redis.Info = map[string]string{"role": "slave", "master_host": "cache", "master_port": "6380", "master_link_status": "up", "aof_enabled": "0"}
	i.Redis.Settings["save"], i.Redis.Settings["maxmemory"] = "", "0"
	text := writeInspection(t, i, "text", inspection.Options{Width: 200})
	says(t, text, "a replica")
	says(t, text, "of cache:6380, link up")
	says(t, text, "save never")
	says(t, text, "no maxmemory")
}

// TestRedisThatNeverSaved: the server takes its start for its last save until it has saved.
func TestRedisThatNeverSaved(t *testing.T) {
	i := aRedis(t)
	i.Redis.Info["rdb_last_save_time"] = strconv.FormatInt(i.Redis.Started.Unix(), 10)
	says(t, writeInspection(t, i, "text", inspection.Options{}), "no save since the start, the last fork took 48.0 ms")
}

// TestRedisThatTellsNothing checks that unknown facts are left out.
func TestRedisThatTellsNothing(t *testing.T) {
	i := inspect.Inspection{Redis: &inspect.RedisFacts{Program: "valkey", Version: "8.1.0", Slow: -1}}
	text := writeInspection(t, i, "text", inspection.Options{})
	for _, never := range []string{"clients ", "commands", "AOF", "NaN", "-1", "keys"} {
		if strings.Contains(text, never) {
			t.Errorf("it says %q:\n%s", never, text)
		}
	}
	says(t, text, "Valkey 8.1.0")
}

// TestRedisWatchCounts checks that commands are counted, not commits.
func TestRedisWatchCounts(t *testing.T) {
	_, opts := watchedServer(t, []float64{100, 120, 110}, 5)
	i := inspect.Inspection{Redis: &inspect.RedisFacts{Program: "redis", Version: "7.0.15", Slow: -1}}
	text := writeInspection(t, i, "text", opts)
	says(t, text, "The server processed 110 commands a second on average, including plinth's own queries (about 20 a second): at most 120")
	if strings.Contains(text, "server committed") || strings.Contains(text, "of that one alone") {
		t.Errorf("it speaks of PostgreSQL:\n%s", text)
	}
	_, opts = watchedServer(t, []float64{100, math.NaN(), 110}, 5)
	says(t, writeInspection(t, i, "text", opts), "In 1 of 3 seconds it is not known what the server did")
}
