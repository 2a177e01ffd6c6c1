// Package examine reads what a Redis or Valkey server reports about itself, and where on this
// machine it keeps its files. It changes nothing.
package examine

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/conninfo"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/conf"
)

// Facts holds what a server reports about itself. Sizes are in bytes. What it does not report is a
// gap: its field is empty or, where that could be taken for a number, -1.
type Facts struct {
	Program   string    `json:"program"`     // "redis", "valkey"
	Version   string    `json:"version"`     // "7.0.15"
	VersionN  int       `json:"version_num"` // 70015
	Transport string    `json:"transport"`   // "socket", "tcp", "tls"
	Address   string    `json:"address"`     // the path of the socket, or host and port
	User      string    `json:"user"`
	Started   time.Time `json:"started"` // to a second

	Asked    time.Time          `json:"-"`        // when INFO was requested; the zero time means just now
	Info     map[string]string  `json:"info"`     // INFO all, by field (https://redis.io/docs/latest/commands/info/)
	Settings map[string]string  `json:"settings"` // CONFIG GET *, without those that are or lead to secrets
	Latency  []LatencyEvent     `json:"latency_events"`
	Slow     int64              `json:"slowlog_entries"`
	Memory   map[string]float64 `json:"memory_stats"`   // numbers of MEMORY STATS
	Open     *bool              `json:"open,omitempty"` // whether the default user needs no password; nil if unknown

	Process Process `json:"-"` // on this machine
	Gaps    []Gap   `json:"gaps"`
}

// LatencyEvent is an event of the server's latency monitor.
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency-monitor/
type LatencyEvent struct {
	Name   string    `json:"event"` // "fork", "aof-fsync-always"
	At     time.Time `json:"at"`    // the latest
	Latest int64     `json:"latest_ms"`
	Most   int64     `json:"most_ms"`
}

// Gap is something that could not be read, and why.
type Gap struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Read connects to a server and reads everything about it. It changes nothing: it sends INFO,
// CONFIG GET and the like, and reads no key. It returns an error if the server cannot be queried.
func Read(ctx context.Context, conninfo conninfo.Conninfo) (Facts, error) {
	o, err := client.OptionsOf(conninfo)
	if err != nil {
		return Facts{}, err
	}
	d := &client.Session{Options: o}
	defer d.Close()
	f := Facts{User: o.Username, Asked: time.Now(), Slow: -1, Latency: []LatencyEvent{}, Settings: map[string]string{}, Gaps: []Gap{}}
	f.Transport, _ = client.Transport(o)
	f.Address = o.Addr
	var text string
	err = d.Use(ctx, func(c *goredis.Client) (err error) {
		text, err = c.Info(ctx, "all").Result()
		return err
	})
	if err != nil {
		return Facts{}, client.Unreachable(o, err)
	}
	info := client.ParseInfo(text)
	f.Info = info
	f.Program, f.Version, f.VersionN = info.Version()
	f.Started = time.Now().Add(-time.Duration(info.Number("uptime_in_seconds")) * time.Second).UTC().Truncate(time.Second)
	f.Process = Find(ctx, d, info)
	for _, p := range examined {
		err := d.Use(ctx, func(c *goredis.Client) error { return p.read(ctx, c, &f) })
		if err != nil {
			f.Gaps = append(f.Gaps, Gap{p.what, client.RefusedBecause(err)})
		}
	}
	return f, ctx.Err()
}

// examined are the parts that are read one by one, so that one that is not permitted, renamed or
// too slow leaves a gap and no more.
var examined = []struct {
	what string
	read func(context.Context, *goredis.Client, *Facts) error
}{
	{"settings (CONFIG GET)", readConfig},
	{"latency events (LATENCY LATEST)", readLatency},
	{"slow commands (SLOWLOG LEN)", readSlow},
	{"memory by use (MEMORY STATS)", readMemory},
	{"whether a password is needed (ACL GETUSER)", readOpen},
}

func readConfig(ctx context.Context, c *goredis.Client, f *Facts) error {
	all, err := c.ConfigGet(ctx, "*").Result()
	maps.DeleteFunc(all, func(name, _ string) bool { return conf.Hidden.MatchString(name) })
	if err == nil {
		f.Settings = all
	}
	return err
}

func readLatency(ctx context.Context, c *goredis.Client, f *Facts) error {
	events, err := c.Latency(ctx).Result()
	for _, e := range events {
		f.Latency = append(f.Latency, LatencyEvent{e.Name, e.Time.UTC(), e.Latest.Milliseconds(), e.Max.Milliseconds()})
	}
	return err
}

func readSlow(ctx context.Context, c *goredis.Client, f *Facts) error {
	n, err := c.Do(ctx, "SLOWLOG", "LEN").Int64()
	if err == nil {
		f.Slow = n
	}
	return err
}

func readMemory(ctx context.Context, c *goredis.Client, f *Facts) error {
	answer, err := c.Do(ctx, "MEMORY", "STATS").Slice()
	if err != nil {
		return err
	}
	f.Memory = map[string]float64{}
	for i := 0; i+1 < len(answer); i += 2 {
		name, _ := answer[i].(string)
		switch value := answer[i+1].(type) {
		case int64:
			f.Memory[name] = float64(value)
		case float64:
			f.Memory[name] = value
		case string:
			if n, err := strconv.ParseFloat(value, 64); err == nil {
				f.Memory[name] = n
			}
		}
	}
	return nil
}

// readOpen reads the user that a connection has before it authenticates.
// https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
func readOpen(ctx context.Context, c *goredis.Client, f *Facts) error {
	answer, err := c.Do(ctx, "ACL", "GETUSER", "default").Slice()
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(answer); i += 2 {
		if name, _ := answer[i].(string); name != "flags" {
			continue
		}
		flags := fmt.Sprint(answer[i+1])
		open := strings.Contains(flags, "nopass") && strings.Contains(flags, "on")
		f.Open = &open
	}
	return nil
}

// Setting returns a setting by its name; false if it may not be seen, or the version does not
// have it.
func (f *Facts) Setting(name string) (string, bool) {
	value, there := f.Settings[name]
	return value, there
}

// Number returns a setting, or else a field of INFO, that is a number.
func (f *Facts) Number(name string) (float64, bool) {
	text, there := f.Settings[name]
	if !there {
		text, there = f.Info[name]
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, there && err == nil
}

// Calls returns how often a command was called since the server started, and the total time of
// the calls.
func (f *Facts) Calls(command string) (calls int64, took time.Duration) {
	for part := range strings.SplitSeq(f.Info["cmdstat_"+command], ",") {
		name, value, _ := strings.Cut(part, "=")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "calls":
			calls = n
		case "usec":
			took = time.Duration(n) * time.Microsecond
		}
	}
	return calls, took
}

// LastSave returns when the server last saved an RDB file; the zero time if it has not since it started. known is false if
// the server does not report it. A server takes the time of its start for that of its last save until it has saved; rdb_saves
// came with Redis 7.0.
func (f *Facts) LastSave() (at time.Time, known bool) {
	const near = 2 * time.Second // both times are to a second
	info := client.Info(f.Info)
	seconds := info.Number("rdb_last_save_time")
	if seconds <= 0 {
		return time.Time{}, false
	}
	at = time.Unix(seconds, 0).UTC()
	if at.Sub(f.Started).Abs() <= near && info.Number("rdb_saves") == 0 {
		return time.Time{}, true
	}
	return at, true
}

// Persists returns whether the server writes an append-only file, and when it saves ("3600 1 300
// 100"; "" for never). known is false if the server does not report it.
func (f *Facts) Persists() (aof bool, save string, known bool) {
	appendonly, known := f.Settings["appendonly"]
	return appendonly == "yes", f.Settings["save"], known
}
