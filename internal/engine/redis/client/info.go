package client

import (
	"context"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// Info is the reply to INFO, by the names of its fields.
// https://redis.io/docs/latest/commands/info/
type Info map[string]string

// ParseInfo parses lines of "name:value"; it skips section headers and all other lines.
func ParseInfo(text string) Info {
	f := Info{}
	for line := range strings.Lines(text) {
		name, value, found := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if found && !strings.HasPrefix(name, "#") {
			f[name] = value
		}
	}
	return f
}

// Number returns a field as a number; 0 if it does not exist.
func (f Info) Number(name string) int64 {
	n, _ := strconv.ParseInt(f[name], 10, 64)
	return n
}

// Version returns which server it is, its version, and the version as a number.
func (f Info) Version() (program, text string, number int) {
	if f["server_name"] == Valkey { // its redis_version is that of the Redis it is compatible with
		return Valkey, f["valkey_version"], VersionNumber(f["valkey_version"])
	}
	return Redis, f["redis_version"], VersionNumber(f["redis_version"])
}

// Working returns what the server is writing or loading now, in words; "" if nothing.
func (f Info) Working() string {
	for _, one := range []struct{ field, words string }{
		{"loading", "loading its dataset"},
		{"rdb_bgsave_in_progress", "an RDB save"},
		{"aof_rewrite_in_progress", "a rewrite of the append-only file"},
		{"aof_rewrite_scheduled", "a scheduled rewrite of the append-only file"},
		{"aof_pending_bio_fsync", "an fsync of the append-only file"},
		{"aof_buffer_length", "pending writes to the append-only file"},
		{"module_fork_in_progress", "a child process of a module"},
	} {
		if f.Number(one.field) != 0 {
			return one.words
		}
	}
	return ""
}

// Info sends INFO to the server.
func (s *Session) Info(ctx context.Context) (Info, error) {
	var f Info
	err := s.Use(ctx, func(rdb *goredis.Client) error {
		text, err := rdb.Info(ctx).Result()
		f = ParseInfo(text)
		return err
	})
	return f, err
}

// KeyMemory returns used_memory without the buffers of clients, replicas and files, in bytes: the
// memory of the keys, and of an empty server. mem_total_replication_buffers (Redis 7.0) is not subtracted: the backlog and
// the buffers of replicas are parts of it.
func (f Info) KeyMemory() int64 {
	bytes := f.Number("used_memory")
	for _, beside := range []string{
		"mem_clients_normal", "mem_clients_slaves", "mem_clients_replicas", "mem_replication_backlog", "mem_aof_buffer",
	} {
		bytes -= f.Number(beside)
	}
	return bytes
}

// The programs that an environment can ask for.
const (
	Redis  = "redis"
	Valkey = "valkey"
)

// Titles are the display names of the programs.
var Titles = map[string]string{Redis: "Redis", Valkey: "Valkey"}

// VersionNumber returns 70015 for "7.0.15"; parts that are not numbers count as 0.
func VersionNumber(text string) (number int) {
	parts := strings.SplitN(text, ".", 3)
	for i := range 3 {
		number *= 100
		if i < len(parts) {
			digits := parts[i][:len(parts[i])-len(strings.TrimLeft(parts[i], "0123456789"))]
			n, _ := strconv.Atoi(digits)
			number += min(n, 99)
		}
	}
	return number
}
