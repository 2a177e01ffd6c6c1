package redis

import (
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// database is where one environment's keys live: a server of plinth's own, or those
// keys of another one that begin with a prefix. It is the same code for both.
type database struct {
	engine.Config
	client.Session
	prefix string // of all keys; "" in a server of plinth's own
	target engine.Target

	run      string    // run_id of the server that was started or reached
	started  time.Time // when that one started
	launched time.Time // when plinth last started it; zero for a server that was there already

	loaded       bool
	loadTime     time.Time
	loadDuration time.Duration
	dataset      record.Dataset // as loaded
}

// Target is how a driver reaches the keys.
func (d *database) Target() engine.Target { return d.target }

// Statistics is how to reach the server, for one more client that reads statistics
// while the load runs. It holds the password.
func (d *database) Statistics() *goredis.Options {
	o := *d.Options
	return &o
}

// keys are the keys that are loaded into this environment.
func (d *database) keys() experiment.KeyDataset { return d.Experiment.KeysOf(d.Environment) }

// meet notes which run of the server this is. A server tells its age in whole seconds
// only, so when it started is worked out once, and not at all where plinth started it:
// two starts within a second would seem to be in the wrong order.
func (d *database) meet(f client.Info) {
	id := f["run_id"]
	if id == d.run {
		return
	}
	d.run, d.started = id, d.launched
	if d.launched.IsZero() {
		d.started = time.Now().Add(-time.Duration(f.Number("uptime_in_seconds")) * time.Second)
	}
}
