// Package redis reads what a server of Redis (6 to 8) or Valkey says of itself, second
// by second: INFO, its latency monitor, and its log.
//
// It takes one connection of its own. All of INFO is asked once a second; the sections
// about persistence and traffic ten times a second, because rewrites, saves and syncs
// of a busy server are often over in less than a second. Both cost the server's main
// thread together less than a thousandth of its time: BenchmarkRound and
// BenchmarkSample measure it, and each run says what it was. Nothing is changed, no
// setting and no key; what is refused costs only its own columns.
package redis

import (
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// Options say which server is read, and what else is known of it.
type Options struct {
	// Client is how to reach the server: address, user, password, TLS. The name of the
	// connection becomes "plinth"; pool, retries and time limits are the lane's.
	Client *goredis.Options

	// Log is the server's own log; nil where it cannot be read.
	Log *telemetry.Log
}

// Lane is the sources of one server. It never blocks: the first reading connects.
func Lane(o Options) telemetry.Lane {
	s := newServer(o)
	return telemetry.Lane{Name: "server", Sources: []telemetry.Source{
		newInfo(s), &latency{server: s, events: map[string]*event{}}, newPersistence(s),
	}}
}

// Metrics are all columns that the lane may have.
func Metrics() []metric.Metric {
	var all []metric.Metric
	for _, f := range fields {
		all = append(all, f.Metric)
	}
	all = append(all, manyMetrics...)
	all = append(all, latencyEvent)
	return append(all, persistenceMetrics...)
}

// cost is what plinth's questions took of the server's main thread, as the server
// itself counts the time of INFO.
type cost struct {
	known       bool
	first, last command
}

// seen takes what the server has counted of INFO by now; nil where it does not tell it.
func (c *cost) seen(info *command) {
	if info == nil {
		return
	}
	if !c.known || info.calls < c.last.calls { // it was restarted, or its statistics were reset
		c.known, c.first = true, *info
	}
	c.last = *info
}

// of is the time of so many questions of plinth: others may have asked, too.
func (c *cost) of(asked float64) (time.Duration, bool) {
	calls := c.last.calls - c.first.calls
	if calls <= 0 {
		return 0, false
	}
	each := (c.last.usec - c.first.usec) * microseconds / calls
	return time.Duration(each * asked * float64(time.Second)), true
}
