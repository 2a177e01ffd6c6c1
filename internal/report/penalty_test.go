package report_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/reporttest"
)

// cachedRows are requests a second and mean latency in ms of set, get and ping.
var cachedRows = map[string][6]float64{
	"no-aof":   {4450, 4.4, 9800, 2.0, 69000, 0.28},
	"everysec": {1361, 14.7, 9700, 2.1, 68000, 0.29},
	"always":   {311, 64.0, 9500, 2.1, 69500, 0.28},
}

// cached is a record of Redis: three policies at one load.
func cached(t *testing.T) *record.Record {
	t.Helper()
	rec, e := reporttest.NewRecord(t, `
name: redis-aof
question: What does the append-only file cost?
engine: redis
dataset: {keys: 1000, size: 180kB}
workloads: [set, get, ping]
clients: [20]
duration: 10s
payload: 180kB
repeats: 8
seed: 42
environments: {no-aof: {}, everysec: {settings: {appendonly: "yes"}}, always: {settings: {appendonly: "yes", appendfsync: always}}}
baseline: no-aof
`)
	column := map[string]int{"set": 0, "get": 2, "ping": 4}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			i := column[slot.Cell.Workload]
			row := cachedRows[slot.Environment]
			reporttest.Measured(t, rec, record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1},
				row[i]*(1+0.01*float64(slot.Repeat%3)), row[i+1])
		}
	}
	for name, settings := range map[string]map[string]string{
		"no-aof": {"appendonly": "no", "save": "3600 1"}, "everysec": {"appendonly": "yes", "appendfsync": "everysec", "save": ""},
		"always": {"appendonly": "yes", "appendfsync": "always", "save": ""},
	} {
		settings["dir"], settings["unixsocket"] = "/tmp/"+name, "/tmp/"+name+"/s"
		rec.Environments[name] = record.Environment{Name: name, Kind: "own", Server: "Redis", Version: "7.0.15", Transport: "socket",
			Settings: settings, Dataset: record.Dataset{Rows: 1000, Bytes: 180_000_000, Duration: 2, RowsPerSecond: 500}}
	}
	rec.Summary.Engine = "redis"
	return rec
}

// TestRedis: a record of Redis has the published table, penalty ratios and datasets
// of keys, and says requests where PostgreSQL's says transactions.
func TestRedis(t *testing.T) {
	var text, markdown strings.Builder
	if err := report.Write(&text, cached(t), "text", report.Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := report.Write(&markdown, cached(t), "markdown", report.Options{}); err != nil {
		t.Fatal(err)
	}
	whole := full(t, cached(t))
	reporttest.Golden(t, filepath.Join("testdata", "redis.txt"), text.String())
	reporttest.Golden(t, filepath.Join("testdata", "redis.md"), whole.Markdown())
	for name, said := range map[string]string{"text": text.String(), "markdown": markdown.String(), "full": whole.Markdown(), "html": bodyHTML(whole)} {
		for _, foreign := range []string{"TPS", "transaction", "rows/s", "unixsocket"} {
			if strings.Contains(said, foreign) {
				t.Errorf("%s says %q of Redis", name, foreign)
			}
		}
		for _, wanted := range []string{"SET RPS", "SET p99", "PING max", "times fewer RPS", "1,000 keys", "500 keys/s"} {
			if !strings.Contains(said, wanted) {
				t.Errorf("%s lacks %q", name, wanted)
			}
		}
	}
}

// TestPenalties are what such benchmarks are quoted by.
func TestPenalties(t *testing.T) {
	var text strings.Builder
	if err := report.Write(&text, cached(t), "json", report.Options{}); err != nil {
		t.Fatal(err)
	}
	var show report.Summary
	if err := json.Unmarshal([]byte(text.String()), &show); err != nil {
		t.Fatal(err)
	}
	if len(show.Penalties) != 6 {
		t.Fatalf("%d penalties: %+v", len(show.Penalties), show.Penalties)
	}
	for _, p := range show.Penalties {
		if p.Workload != "set" || p.Environment != "always" {
			continue
		}
		if p.Baseline != "no-aof" || p.Rate == nil || p.P99 == nil {
			t.Fatalf("%+v", p)
		}
		if r := p.Rate; r.Times < 14.3 || r.Times > 14.32 || r.Low > r.Times || r.High < r.Times || r.Level == 0 {
			t.Errorf("4450 against 311 requests a second is %+v; want 14.3 times fewer", *r)
		}
		if r := p.P99; r.Times < 14 || r.Times > 15 {
			t.Errorf("64 against 4.4 ms is %+v; want about 14.5 times", *r)
		}
	}
}
