// Package generator is plinth's own load generator for Redis. It runs as a separate process, drives
// many connections from a few threads, each with its own event loop, and reports histograms once a
// second.
//
// Unlike redis-benchmark, it supports an open loop at a given rate, points second by second, runs
// of a given duration, true histograms, mixes of commands, and several key distributions. It is
// also faster: where the disk is not the bottleneck, do not compare its numbers with
// redis-benchmark's.
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
	CACert  string `json:"cacert,omitempty"` // a file of certificates to trust; "": the system's
	Prefix  string `json:"prefix"`           // of all keys

	Scripts      []Script `json:"scripts"`
	Payload      int64    `json:"payload_bytes"`
	Keyspace     int64    `json:"keyspace"`
	Distribution string   `json:"distribution"` // "uniform", "zipfian" or "sequential"
	Pipeline     int      `json:"pipeline"`     // requests before a client waits for replies
	ConnectEach  bool     `json:"connect_each,omitempty"`

	Clients int     `json:"clients"`
	Threads int     `json:"threads"`
	Rate    float64 `json:"rate,omitempty"` // requests due per second, over all clients; 0 for a closed loop
	Seed    uint64  `json:"seed"`           // of arrivals, keys and mixes

	// Start is when the load begins, in nanoseconds since 1970, if that was agreed on; 0 to begin as
	// soon as all clients are connected.
	Start    int64         `json:"start_ns,omitempty"`
	Warmup   time.Duration `json:"warmup_ns"`
	Duration time.Duration `json:"duration_ns,omitempty"`
	Requests int64         `json:"requests,omitempty"` // in place of a duration: sent after the warm-up
}

// Script is one test of a mix.
type Script struct {
	Test   string `json:"test"`
	Weight int    `json:"weight"`
}

// PasswordVariable is the environment variable with the password: every user can see a
// command line.
const PasswordVariable = "PLINTH_REDIS_PASSWORD"

// ProcessName is the first argument of a load generator process, and identifies it.
const ProcessName = "plinth-redisload"

// Arguments returns the command line of the process.
func (c Config) Arguments() ([]string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("cannot write the configuration of the load: %w", err)
	}
	return []string{ProcessName, string(text)}, nil
}

// timed reports whether the load ends at a set time.
func (c *Config) timed() bool { return c.Requests == 0 }

// end returns when the measured window is over, since the load began.
func (c *Config) end() int64 { return int64(c.Warmup + c.Duration) }
