// Package generator is plinth's own load generator for Redis, as a process: many
// connections on few threads, each thread with an event loop of its own, and
// histograms that are told once a second.
//
// It can do what redis-benchmark cannot: an open loop at a rate, points second by
// second, a duration, true histograms, mixes, other distributions of keys. It is
// faster, too, so that in what is not bound by a disk its numbers are not to be
// mixed with those of redis-benchmark.
package generator

import (
	"encoding/json"
	"fmt"
	"time"
)

// Config is one load.
type Config struct {
	Network string `json:"network"` // "unix" or "tcp"
	Address string `json:"address"` // path of the socket, or host:port
	User    string `json:"user,omitempty"`
	DB      int    `json:"db,omitempty"`
	TLS     bool   `json:"tls,omitempty"`
	CACert  string `json:"cacert,omitempty"` // a file of certificates to trust; the system's where it is ""
	Prefix  string `json:"prefix"`           // of all keys

	Scripts      []Script `json:"scripts"`
	Payload      int64    `json:"payload_bytes"`
	Keyspace     int64    `json:"keyspace"`
	Distribution string   `json:"distribution"` // "uniform", "zipfian" or "sequential"
	Pipeline     int      `json:"pipeline"`     // requests before a client waits for replies
	ConnectEach  bool     `json:"connect_each,omitempty"`

	Clients int     `json:"clients"`
	Threads int     `json:"threads"`
	Rate    float64 `json:"rate,omitempty"` // requests a second that are due, over all clients; 0 for a closed loop
	Seed    uint64  `json:"seed"`           // of arrivals, keys and mixes

	Warmup   time.Duration `json:"warmup_ns"`
	Duration time.Duration `json:"duration_ns,omitempty"`
	Requests int64         `json:"requests,omitempty"` // in place of a duration: begun after the warm-up
}

// Script is one test of a mix.
type Script struct {
	Test   string `json:"test"`
	Weight int    `json:"weight"`
}

// PasswordVariable is where the password stands in the environment: a command line
// can be seen by everybody.
const PasswordVariable = "PLINTH_REDIS_PASSWORD"

// ProcessName is the first argument of a generator's process, and what tells it.
const ProcessName = "plinth-redisload"

// Arguments is the command line of the process.
func (c Config) Arguments() ([]string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("cannot write down the load: %w", err)
	}
	return []string{ProcessName, string(text)}, nil
}

// timed says whether the load has an end that is a moment.
func (c *Config) timed() bool { return c.Requests == 0 }

// end is when the measured window is over, since the load began.
func (c *Config) end() int64 { return int64(c.Warmup + c.Duration) }
