package redis

import (
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// database holds one environment's keys: all keys of plinth's own server, or the keys with a
// prefix in a connected one. Own and Connected share this code.
type database struct {
	engine.Config
	client.Session
	prefix string // of all keys; "" in plinth's own server
	target engine.Target

	run      string    // run_id of the server that was started or reached
	started  time.Time // when that server started
	launched time.Time // when plinth last started it; zero for a connected server

	loaded       bool
	loadTime     time.Time
	loadDuration time.Duration
	dataset      record.Dataset // as loaded
}

// Target returns how a driver reaches the keys.
func (d *database) Target() engine.Target { return d.target }

// Statistics returns how to reach the server with one more client, to read statistics under load.
// It holds the password.
func (d *database) Statistics() *goredis.Options {
	o := *d.Options
	return &o
}

// keys returns the keys that are loaded into this environment.
func (d *database) keys() experiment.KeyDataset { return d.Experiment.KeysOf(d.Environment) }

// meet records which run of the server this is. A server reports its age in whole seconds only,
// so the start time is computed once per run, and not at all if plinth started the server: two
// starts within a second could seem to be in the wrong order.
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
