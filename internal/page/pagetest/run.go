package pagetest

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/experiment/encode"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// observed holds what the load of a run left behind.
type observed struct {
	tps     []float64 // of each second, warm-up included
	latency []record.Latency
	window  record.Latency // merged
	log     []byte         // latency.hlog
}

// measured makes a run, its points and its histogram log.
func (m *maker) measured(id record.RunID) (record.Run, record.Points, []byte) {
	e := m.experiment
	tps := usual
	if m.recipe.tps != nil {
		tps = m.recipe.tps
	}
	mean := tps(id)
	load := m.load(id, mean)
	first := -int(seconds(e.Warmup))
	duration := seconds(e.Duration)
	total := 0.0
	for _, v := range load.tps[-first:] {
		total += v
	}
	run := record.Run{
		RunID: id, Number: len(m.runs) + 1, Position: 1, Status: record.Valid, Started: m.at,
		Phases:   record.Phases{Reset: 0.1, Checkpoint: 0.4, Load: duration - float64(first), CheckpointAfter: 0.6, Dead: 0.12, PlinthCPU: 0.3},
		Driver:   record.Driver{Program: "pgbench", Version: "15.18", Command: []string{"pgbench", "-n", "-c", fmt.Sprint(id.Clients), "-j", fmt.Sprint(id.Threads), "-b", id.Workload + "@1"}},
		Result:   record.Result{Loop: "closed", Duration: duration, Transactions: int64(total), TPS: total / duration, Latency: load.window},
		Declared: record.DeclaredFingerprint(encode.YAML(e), m.summary.Plan),
	}
	if id.Rate > 0 {
		run.Result.Loop, run.Result.Lag = "open", &record.Lag{Mean: 12e3, Max: 900e3}
	}
	telemetry := e.Telemetry != "off"
	if telemetry {
		run.Telemetry = marks(duration, seconds(e.Warmup))
	}
	m.at = m.at.Add(time.Duration((duration + 4) * float64(time.Second)))
	return run, m.points(id, first, load, telemetry), load.log
}

// marks are a checkpoint, an autovacuum, full WAL segments and a line of the log.
func marks(duration, warmup float64) *record.Telemetry {
	t := &record.Telemetry{Cost: []record.Cost{
		{Lane: "kernel", Readings: int(duration + warmup + 2), Covered: duration + warmup, CPU: 0.002 * duration},
		{Lane: "server", Readings: int(duration + warmup + 2), Covered: duration + warmup, CPU: 0.001 * duration, Server: 0.004 * duration, Known: true, Pace: 0.1},
	}}
	for _, mark := range []record.Mark{
		{Second: 2.5, Kind: "wal-segment", Text: "1 segment, now 000000010000000000000004"},
		{Second: 4.2, Kind: "autovacuum", Text: "pgbench_tellers"},
		{Second: 8.1, Kind: "checkpoint-start", Text: "wal"},
		{Second: 8.4, Kind: "log", Text: "LOG:  checkpoints are occurring too frequently (9 seconds apart)"},
		{Second: 11.9, Kind: "checkpoint-end"},
	} {
		if mark.Second < duration {
			t.Marks = append(t.Marks, mark)
		}
	}
	t.Gaps = []record.TelemetryGap{{Columns: []string{"pg_stat_io.*"}, From: -warmup, To: duration - 1, Why: "PostgreSQL 15 has no pg_stat_io: added in PostgreSQL 16"}}
	return t
}

// draws is how many latencies stand for those of a second.
const draws = 60

// load makes what each second did.
func (m *maker) load(id record.RunID, mean float64) observed {
	shape := checkpointed
	if m.recipe.shape != nil {
		shape = m.recipe.shape
	}
	random := random("seconds of " + id.Path())
	log := newLog()
	m.window.Reset()
	warmup := int(seconds(m.experiment.Warmup))
	var o observed
	for i := range warmup + int(seconds(m.experiment.Duration)) {
		second := float64(i - warmup)
		tps := max(1, math.Round(mean*shape(second)*(1+0.04*random.NormFloat64())))
		kind := m.kind(id, mean, shape(second), i%2)
		if second >= 0 {
			kind.addTo(m.window)
			log.interval(second, kind.summary)
		}
		o.tps, o.latency = append(o.tps, tps), append(o.latency, kind.summary)
	}
	o.window, o.log = record.Summarise(m.window), log.Bytes()
	return o
}

// kind is one of the few distributions of latency that the seconds of a cell have in
// an environment: to make one for each second of each run would take minutes.
type kind struct {
	values  []int64
	each    int64 // how many transactions each of them stands for
	summary record.Latency
}

func (m *maker) kind(id record.RunID, mean, shape float64, variant int) kind {
	key := fmt.Sprint(id.Environment, id.Cell, shape, variant)
	if m.recipe.wide == 0 {
		key += fmt.Sprint(" repeat ", id.Repeat%3)
	}
	if known, ok := m.kinds[key]; ok {
		return known
	}
	random, tps := random(key), max(1, mean*shape)
	made := kind{each: int64(math.Ceil(tps / draws))}
	for range draws {
		latency := float64(id.Clients) / tps * 1e9 * 0.9 * math.Exp(0.45*random.NormFloat64())
		made.values = append(made.values, min(int64(latency), record.LongestLatency))
	}
	m.second.Reset()
	made.addTo(m.second)
	made.summary = record.Summarise(m.second)
	m.kinds[key] = made
	return made
}

func (k kind) addTo(h *hdrhistogram.Histogram) {
	for _, v := range k.values {
		_ = h.RecordValues(v, k.each) // it fails above LongestLatency only
	}
}

// log is a histogram log in the making.
type log struct{ bytes.Buffer }

func newLog() *log {
	l := &log{}
	l.WriteString("#[Histogram log format version 1.3]\n#[StartTime: 1795230960.000 (seconds since epoch)]\n" +
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n")
	return l
}

func (l *log) interval(second float64, of record.Latency) {
	fmt.Fprintf(l, "%.6f,1.000000,%.6f,%s\n", second, float64(of.Max)/1e6, of.Histogram)
}

func seconds(d unit.Duration) float64 { return time.Duration(d).Seconds() }
