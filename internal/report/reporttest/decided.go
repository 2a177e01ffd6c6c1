package reporttest

import (
	"fmt"
	"testing"

	"plinth/internal/record"
)

// Decided returns a completed experiment with a difference: memory has far more writes than
// disk and, within 1 %, as many reads.
func Decided(t *testing.T) *record.Record {
	t.Helper()
	rec, e := NewRecord(t, "name: decided\nquestion: What does this disk cost a commit?\nworkloads: [select-only, tpcb-like]\n"+
		"clients: [1, 8]\nthreads: [1]\nrepeats: 6\nseed: 3\nenvironments: {disk: {}, memory: {settings: {fsync: off}}}\n")
	tps := map[string]float64{"select-only disk": 14079, "select-only memory": 14090, "tpcb-like disk": 1590, "tpcb-like memory": 2187}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			drift := 1 + 0.005*float64((len(rec.Runs)*7)%5)
			Measured(t, rec, id, tps[slot.Cell.Workload+" "+slot.Environment]*drift*float64(slot.Cell.Clients), 8000/tps[slot.Cell.Workload+" "+slot.Environment]*drift)
		}
	}
	rec.Summary.Warnings = []record.Note{{Rule: "parity-settings", Text: "random_page_cost is 4 in disk, 1.1 in memory", Environment: "memory"}}
	rec.Environments["disk"] = WithWarning(rec.Environments["disk"], record.Note{Rule: "no-checkpoint", Text: "CHECKPOINT is not permitted"})
	return rec
}

// WellDecided returns a record whose twelve blocks agree on a difference of 20 %.
func WellDecided(t *testing.T) *record.Record {
	t.Helper()
	rec, e := NewRecord(t, `
name: wal-on-its-own-disk
question: Does a WAL device of its own raise write throughput?
dataset: {scale: 100}
workloads: [simple-update, tpcb-like]
clients: [10, 50]
threads: [1]
repeats: 6
seed: 42
environments: {one-disk: {}, two-disks: {}}
`)
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			tps := float64(1000 * slot.Cell.Clients / 10)
			tps *= 1 + 0.01*float64(slot.Repeat%3)
			if slot.Environment == "two-disks" && slot.Cell.Workload == "tpcb-like" {
				tps *= 1.2 + 0.002*float64(slot.Repeat)
			}
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			Measured(t, rec, id, tps, 1e3*float64(slot.Cell.Clients)/tps)
		}
	}
	return rec
}

// Overloaded returns a record with a rate that one of two cells cannot sustain, in both
// environments, with different figures in every run.
func Overloaded(t *testing.T) *record.Record {
	t.Helper()
	rec, e := NewRecord(t, "name: overloaded\nworkloads: [tpcb-like]\nclients: [4]\nthreads: [2]\nrate: [500, 100000]\n"+
		"latency_limit: 2ms\nrepeats: 3\nseed: 5\nenvironments: {disk: {}, ram: {}}\n")
	latency := map[string]float64{"disk": 1, "ram": 0.5}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			run := Measured(t, rec, id, 450, latency[slot.Environment])
			if slot.Cell.Rate > 500 {
				run.Result.TPS = 2600
				run.Warnings = []record.Note{{Rule: "skipped", Text: fmt.Sprintf("%d of 199018 transactions were skipped", 193_000+run.Number)}}
			}
		}
	}
	return rec
}

// cachedRows holds requests per second and mean latency in ms of set, get and ping.
var cachedRows = map[string][6]float64{
	"no-aof":   {4450, 4.4, 9800, 2.0, 69000, 0.28},
	"everysec": {1361, 14.7, 9700, 2.1, 68000, 0.29},
	"always":   {311, 64.0, 9500, 2.1, 69500, 0.28},
}

// Cached returns a record of Redis: three policies at one load.
func Cached(t *testing.T) *record.Record {
	t.Helper()
	rec, e := NewRecord(t, `
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
			Measured(t, rec, record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1},
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
