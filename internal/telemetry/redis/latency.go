package redis

import (
	"context"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

var latencyEvent = metric.Metric{
	Name: "latency.{event}", Kind: metric.Gauge, Unit: "s", Source: "LATENCY LATEST", Doc: "Redis, Latency monitoring",
	Help: "Duration of the longest event with this name in the second; the names are those of the latency monitor (command, fork, aof-fsync-always, aof-write-pending-fsync, expire-cycle, ...); " +
		"0 if none reached latency-monitor-threshold. Missing unless that setting is above 0; plinth does not change it.",
}

// latency reads the latency monitor, once a second. The monitor keeps the longest time of
// each second, so LATENCY LATEST is enough: LATENCY HISTORY would repeat the same.
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency-monitor/
type latency struct {
	server *server
	events map[string]*event
	read   bool // at least once
}

// event is one kind of latency event.
type event struct {
	slot telemetry.Slot
	at   int64 // of the latest one, in seconds of the server's clock
	took int64 // ms
}

// Name returns the prefix of the columns.
func (*latency) Name() string { return "latency" }

// Metrics returns that of an event.
func (*latency) Metrics() []metric.Metric { return []metric.Metric{latencyEvent} }

// Close closes the connection.
func (l *latency) Close() { l.server.close() }

// Read asks for the latest event of each kind.
func (l *latency) Read(ctx context.Context, b *telemetry.Board) error {
	if !l.server.settings.known {
		return l.server.lost
	}
	switch {
	case l.server.settings.hidden:
		return errHidden
	case !l.server.settings.monitored:
		return errDisabled
	}
	var answer *goredis.Cmd
	at, err := l.server.do(ctx, func(p goredis.Pipeliner) { answer = p.Do(ctx, "latency", "latest") })
	if err != nil {
		return err
	}
	b.At(at)
	rows, _ := answer.Slice()
	for _, row := range rows {
		l.put(b, row)
	}
	l.read = true
	return nil
}

// put takes one row: event, time of the latest, its duration, and the maximum so far, both
// in milliseconds. Later versions may have more columns.
func (l *latency) put(b *telemetry.Board, row any) {
	values, _ := row.([]any)
	if len(values) < 3 {
		return
	}
	name, isName := values[0].(string)
	at, isTime := values[1].(int64)
	took, isLong := values[2].(int64)
	if !isName || !isTime || !isLong {
		return
	}
	e := l.events[name]
	if e == nil {
		if len(l.events) == mostMany {
			return
		}
		e = &event{slot: b.Column(latencyEvent, name)}
		b.Before(e.slot, 0)
		l.events[strings.Clone(name)] = e
		if !l.read { // it happened before the first reading
			e.at, e.took = at, took
		}
	}
	if e.at != at || e.took != took {
		b.Put(e.slot, float64(took)*milliseconds)
	} else {
		b.Put(e.slot, 0)
	}
	e.at, e.took = at, took
}
