package postgres

import (
	"fmt"
	"time"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// newCheckpoints asks how many checkpoints there were and how long they took. Where
// no log tells of them, what the counters do marks the timeline.
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
			Help: help + "; of pg_stat_bgwriter up to PostgreSQL 16.",
		}}
	}
	return []figure{
		of("timed", "1/s", timed, 0, "Checkpoints and restartpoints because checkpoint_timeout was over"),
		of("requested", "1/s", requested, 0, "Checkpoints and restartpoints because there was much WAL, or somebody asked"),
		of("write_time", "s/s", write, milliseconds, "Time that checkpoints took to write, counted when each is done: a second may have many"),
		of("sync_time", "s/s", sync, milliseconds, "Time that checkpoints took to sync files, counted when each is done"),
	}
}

// checkpoints are figures that may mark the timeline.
type checkpoints struct {
	*figures
	log  *telemetry.Log
	last []float64 // the figures of the reading before
}

func (c *checkpoints) drain(b *telemetry.Board) { c.log.Drain(b) }

func (c *checkpoints) put(b *telemetry.Board, a *answer) error {
	if err := c.figures.put(b, a); err != nil {
		return err
	}
	var now []float64
	for i := range c.list {
		now = append(now, a.rows.number(0, i+1))
	}
	logged := c.log != nil && a.server.logsCheckpoints
	if c.last != nil && !logged {
		c.mark(b, a.at, now)
	}
	c.last = now
	return nil
}

// mark tells of what began and ended since the reading before. A counter that went
// back tells nothing.
func (c *checkpoints) mark(b *telemetry.Board, at time.Time, now []float64) {
	grown := func(i int) float64 { return now[i] - c.last[i] }
	if grown(0) > 0 {
		b.Mark(at, "checkpoint-start", "time")
	}
	if grown(1) > 0 {
		b.Mark(at, "checkpoint-start", "requested")
	}
	if grown(2) > 0 || grown(3) > 0 {
		b.Mark(at, "checkpoint-end", fmt.Sprintf("write=%.3f s, sync=%.3f s", grown(2)/1000, grown(3)/1000))
	}
}
