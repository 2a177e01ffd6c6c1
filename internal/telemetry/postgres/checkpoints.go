package postgres

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plinth/internal/metric"
	"plinth/internal/pglog"
	"plinth/internal/telemetry"
)

// newCheckpoints asks for the number and duration of checkpoints. Where no log shows them,
// the counters mark the timeline.
func newCheckpoints(log *telemetry.Log) question {
	f := &figures{title: "checkpoints", of: func(major int) ([]figure, string, string, error) {
		if major < 17 {
			return checkpointFigures("checkpoints_timed", "checkpoints_req", "checkpoint_write_time", "checkpoint_sync_time"),
				reset("stats_reset"), "FROM pg_stat_bgwriter", nil
		}
		return checkpointFigures("num_timed + restartpoints_timed", "num_requested + restartpoints_req", "write_time", "sync_time"),
			reset("stats_reset"), "FROM pg_stat_checkpointer", nil
	}}
	return &checkpoints{figures: f, log: log}
}

func checkpointFigures(timed, requested, write, sync string) []figure {
	const view = "pg_stat_checkpointer"
	of := func(name, unit, sql string, scale float64, help string) figure {
		return figure{sql: sql, scale: scale, metric: metric.Metric{
			Name: "checkpoints." + name, Kind: metric.Rate, Unit: unit, Source: view, Doc: statisticsDoc + view,
			Help: help + "; from pg_stat_bgwriter up to PostgreSQL 16.",
		}}
	}
	return []figure{
		of("timed", "1/s", timed, 0, "Checkpoints and restartpoints started because checkpoint_timeout had expired"),
		of("requested", "1/s", requested, 0, "Checkpoints and restartpoints started because of WAL volume or on request"),
		of("write_time", "s/s", write, milliseconds, "Time that checkpoints spent writing, counted when each checkpoint completes, so one second can show many seconds of writing"),
		of("sync_time", "s/s", sync, milliseconds, "Time that checkpoints spent syncing files, counted when each checkpoint completes"),
	}
}

// longestSync is the maximum that only the log has.
// https://www.postgresql.org/docs/current/runtime-config-logging.html#GUC-LOG-CHECKPOINTS
var longestSync = metric.Metric{
	Name: "checkpoints.sync_longest", Kind: metric.Max, Unit: "s", Source: "log_checkpoints", Doc: "PostgreSQL, Error Reporting and Logging, What to Log",
	Help: "Longest sync of a single file by a checkpoint or restartpoint that completed in the second, to the millisecond, from the server's log; " +
		"only for servers that plinth starts, because it reads the log of no other.",
}

// checkpoints are figures that may mark the timeline, and what the log says.
type checkpoints struct {
	*figures
	log  *telemetry.Log
	last []float64 // the figures of the previous reading

	synced  bool    // a checkpoint in the log synced a file
	longest float64 // the longest such sync, in seconds
}

func (c *checkpoints) metrics() []metric.Metric { return append(c.figures.metrics(), longestSync) }

// drain keeps the longest sync until an answer is put: one that failed would lose it.
func (c *checkpoints) drain(b *telemetry.Board) {
	for _, e := range c.log.Drain(b) {
		if seconds, synced := syncOf(e.Text); synced && e.Kind == pglog.CheckpointEnd {
			c.synced, c.longest = true, max(c.longest, seconds)
		}
	}
}

// putLongest puts the longest sync since the previous answer.
func (c *checkpoints) putLongest(b *telemetry.Board, logged bool) {
	slot := b.Column(longestSync)
	switch {
	case c.log == nil:
		b.Unknown(slot, "plinth does not read the server's log")
	case !logged:
		b.Unknown(slot, "log_checkpoints is off")
	case c.synced:
		b.Put(slot, c.longest)
	default:
		b.None(slot)
	}
	c.synced, c.longest = false, 0
}

var syncFiles = regexp.MustCompile(`\bsync files=([0-9]+), longest=([0-9]+\.[0-9]+) s`)

// syncOf returns the longest sync of a file that the mark of a checkpoint's end shows, in seconds;
// false if it synced none, as with fsync = off.
func syncOf(text string) (seconds float64, synced bool) {
	found := syncFiles.FindStringSubmatch(text)
	if found == nil || strings.Trim(found[1], "0") == "" {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(found[2], 64)
	return seconds, err == nil
}

func (c *checkpoints) put(b *telemetry.Board, a *answer) error {
	if err := c.figures.put(b, a); err != nil {
		return err
	}
	var now []float64
	for i := range c.list {
		now = append(now, a.rows.number(0, i+1))
	}
	logged := c.log != nil && a.server.logsCheckpoints
	c.putLongest(b, logged)
	if c.last != nil && !logged {
		c.mark(b, a.at, now)
	}
	c.last = now
	return nil
}

// mark marks checkpoints that started and ended since the previous reading. A counter that
// went back marks nothing.
func (c *checkpoints) mark(b *telemetry.Board, at time.Time, now []float64) {
	grown := func(i int) float64 { return now[i] - c.last[i] }
	if grown(0) > 0 {
		b.Mark(at, "checkpoint-start", "time")
	}
	if grown(1) > 0 {
		b.Mark(at, "checkpoint-start", "requested")
	}
	if grown(2) > 0 || grown(3) > 0 {
		b.Mark(at, pglog.CheckpointEnd, fmt.Sprintf("write=%.3f s, sync=%.3f s", grown(2)/1000, grown(3)/1000))
	}
}
