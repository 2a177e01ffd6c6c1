// Package redis reads a server of Redis (6 to 8) or Valkey second by second: INFO, its
// latency monitor, and its log.
//
// It uses a single connection. All of INFO is read once a second; the sections about
// persistence and traffic are read ten times a second, because rewrites, saves and syncs of
// a busy server often take less than a second. Together they cost the server's main thread
// less than a thousandth of its time: BenchmarkRound and BenchmarkSample measure it, and
// each run records its own cost. It changes neither settings nor keys; a refused command
// leaves only its own columns empty.
package redis

import (
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// Options select the server to read, and what else is known of it.
type Options struct {
	// Client is how to reach the server: address, user, password, TLS. The connection name
	// becomes "plinth"; the lane sets pool, retries and timeouts.
	Client *goredis.Options

	// Log is the server's log; nil where it cannot be read.
	Log *telemetry.Log
}

// Lane returns the sources of one server. It never blocks: the first reading connects.
func Lane(o Options) telemetry.Lane {
	s := newServer(o)
	return telemetry.Lane{Name: "server", Sources: []telemetry.Source{
		newInfo(s), &latency{server: s, events: map[string]*event{}}, newPersistence(s),
	}}
}

// Metrics returns all columns that the lane may have.
func Metrics() []metric.Metric {
	var all []metric.Metric
	for _, f := range fields {
		all = append(all, f.Metric)
	}
	all = append(all, manyMetrics...)
	all = append(all, latencyEvent)
	return append(all, persistenceMetrics...)
}

// cost is the time that plinth's queries took of the server's main thread, as the server
// accounts for INFO.
type cost struct {
	known       bool
	first, last command
}

// seen takes the server's current counters of INFO; nil where it has none.
func (c *cost) seen(info *command) {
	if info == nil {
		return
	}
	if !c.known || info.calls < c.last.calls { // it was restarted, or its statistics were reset
		c.known, c.first = true, *info
	}
	c.last = *info
}

// of returns the time of that many queries of plinth: other clients may have used INFO,
// too.
func (c *cost) of(asked float64) (time.Duration, bool) {
	calls := c.last.calls - c.first.calls
	if calls <= 0 {
		return 0, false
	}
	each := (c.last.usec - c.first.usec) * microseconds / calls
	return time.Duration(each * asked * float64(time.Second)), true
}
