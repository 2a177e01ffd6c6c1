package inspection

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/inspect"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// redisFacts returns the facts of a Redis or Valkey server as lines. There is no table of
// changed settings, since the server does not report its defaults.
func redisFacts(i inspect.Inspection) []prose.Fact {
	r := i.Redis
	facts := []prose.Fact{
		{Name: "server", Text: phrase.Join(", ", inspect.RedisName(r)+" "+r.Version, redisRole(r), "up since "+r.Started.UTC().Format(time.DateTime)+" UTC",
			phrase.When(r.Info["redis_mode"] == "cluster", "in a cluster"))},
		{Name: "asked", Text: phrase.Join(" ", phrase.When(r.User != "", "as %s,", r.User), fmt.Sprintf("at %s (%s)", r.Address, r.Transport))},
		{Name: "keys", Text: keysLine(r)},
		{Name: "memory", Text: phrase.Join(", ", phrase.When(number(r, "used_memory") > 0, "%s used, %s of it data", phrase.Bytes(number(r, "used_memory")), phrase.Bytes(number(r, "used_memory_dataset"))),
			phrase.When(number(r, "used_memory_rss") > 0, "%s taken", phrase.Bytes(number(r, "used_memory_rss"))), maxmemoryOf(r), phrase.When(r.Memory["keys.bytes-per-key"] > 0, "%s a key", phrase.Bytes(int64(r.Memory["keys.bytes-per-key"]))))},
		{Name: "durability", Text: redisSettings(r, "appendonly", "appendfsync", "no-appendfsync-on-rewrite", "save", "stop-writes-on-bgsave-error")},
		{Name: "AOF", Text: aofLine(r)},
		{Name: "RDB", Text: rdbLine(r)},
		{Name: "clients", Text: phrase.Join(", ", phrase.When(r.Info["connected_clients"] != "", "%s of %s", r.Info["connected_clients"], r.Settings["maxclients"]),
			phrase.When(number(r, "blocked_clients") > 0, "%s blocked", r.Info["blocked_clients"]), phrase.When(r.Settings["io-threads"] != "", "io-threads %s", r.Settings["io-threads"]))},
		{Name: "commands", Text: commandsLine(r)},
		{Name: "replication", Text: redisReplication(r)},
		{Name: "stalls", Text: stallsLine(r)},
	}
	return slices.DeleteFunc(facts, func(f prose.Fact) bool { return f.Text == "" })
}

// number returns a number of INFO; 0 if it is missing.
func number(r *inspect.RedisFacts, name string) int64 {
	n, _ := strconv.ParseInt(r.Info[name], 10, 64)
	return n
}

func redisRole(r *inspect.RedisFacts) string {
	if r.Info["role"] == "slave" {
		return "a replica"
	}
	return phrase.When(r.Info["role"] == "master", "a primary")
}

func maxmemoryOf(r *inspect.RedisFacts) string {
	most, known := r.Number("maxmemory")
	switch {
	case !known:
		return ""
	case most == 0:
		return "no maxmemory"
	}
	return fmt.Sprintf("maxmemory %s, %s", phrase.Bytes(int64(most)), r.Settings["maxmemory-policy"])
}

// redisSettings formats some settings with their values; an empty one, as of save, is "never".
func redisSettings(r *inspect.RedisFacts, names ...string) string {
	var parts []string
	for _, name := range names {
		if value, known := r.Setting(name); known {
			if value == "" {
				value = "never"
			}
			parts = append(parts, name+" "+value)
		}
	}
	return strings.Join(parts, ", ")
}

// keysLine adds up the keys of all databases: "keys=7,expires=1,avg_ttl=0".
func keysLine(r *inspect.RedisFacts) string {
	keys, expiring, databases := int64(0), int64(0), 0
	for name, line := range r.Info {
		number := strings.TrimPrefix(name, "db")
		if _, err := strconv.Atoi(number); err != nil || number == name {
			continue
		}
		databases++
		keys += part(line, "keys")
		expiring += part(line, "expires")
	}
	if databases == 0 {
		return phrase.When(len(r.Info) > 0, "none")
	}
	hits, misses := number(r, "keyspace_hits"), number(r, "keyspace_misses")
	return phrase.Join(", ", fmt.Sprintf("%s in %s", phrase.Count(float64(keys)), phrase.Plural(databases, "database")), phrase.When(expiring > 0, "%s of them expire", phrase.Count(float64(expiring))),
		phrase.When(number(r, "evicted_keys") > 0, "%s evicted", phrase.Count(float64(number(r, "evicted_keys")))),
		phrase.When(hits+misses > 0, "%.1f %% of reads found one", 100*float64(hits)/float64(hits+misses)))
}

// part returns a number of a line such as "calls=3,usec=66".
func part(line, name string) int64 {
	for piece := range strings.SplitSeq(line, ",") {
		if value, found := strings.CutPrefix(piece, name+"="); found {
			n, _ := strconv.ParseInt(value, 10, 64)
			return n
		}
	}
	return 0
}

func aofLine(r *inspect.RedisFacts) string {
	if r.Info["aof_enabled"] != "1" {
		return ""
	}
	return phrase.Join(", ", phrase.Bytes(number(r, "aof_current_size"))+", "+phrase.Bytes(number(r, "aof_base_size"))+" at its last rewrite",
		"last write "+r.Info["aof_last_write_status"], "last rewrite "+r.Info["aof_last_bgrewrite_status"],
		fmt.Sprintf("%s that writes waited for", phrase.Plural(int(number(r, "aof_delayed_fsync")), "sync")))
}

func rdbLine(r *inspect.RedisFacts) string {
	at, known := r.LastSave()
	if !known {
		return ""
	}
	last := "last save " + r.Info["rdb_last_bgsave_status"] + " at " + at.Format(time.DateTime) + " UTC"
	if at.IsZero() {
		last = "no save since the start"
	}
	return phrase.Join(", ", last,
		phrase.When(number(r, "rdb_changes_since_last_save") > 0, "%s changes since", phrase.Count(float64(number(r, "rdb_changes_since_last_save")))),
		phrase.When(number(r, "latest_fork_usec") > 0, "the last fork took %.1f ms", float64(number(r, "latest_fork_usec"))/1e3))
}

// commandsLine lists the commands that took the most time since the server started.
func commandsLine(r *inspect.RedisFacts) string {
	const shown = 4
	type command struct {
		name        string
		calls, usec int64
	}
	var all []command
	for field, line := range r.Info {
		if name, found := strings.CutPrefix(field, "cmdstat_"); found {
			all = append(all, command{name, part(line, "calls"), part(line, "usec")})
		}
	}
	slices.SortFunc(all, func(a, b command) int {
		if a.usec != b.usec {
			return int(min(1, max(-1, b.usec-a.usec)))
		}
		return strings.Compare(a.name, b.name)
	})
	var parts []string
	for _, c := range all[:min(shown, len(all))] {
		if c.calls > 0 {
			parts = append(parts, fmt.Sprintf("%s %s, %.1f µs each", c.name, phrase.Plural(int(c.calls), "time"), float64(c.usec)/float64(c.calls)))
		}
	}
	return strings.Join(parts, "; ")
}

func redisReplication(r *inspect.RedisFacts) string {
	if r.Info["role"] == "slave" {
		return phrase.Join(", ", "of "+r.Info["master_host"]+":"+r.Info["master_port"], "link "+r.Info["master_link_status"])
	}
	n := number(r, "connected_slaves")
	return phrase.When(n > 0, "%s, backlog %s", phrase.Plural(int(n), "replica"), phrase.Bytes(number(r, "repl_backlog_size")))
}

func stallsLine(r *inspect.RedisFacts) string {
	var parts []string
	for _, e := range r.Latency {
		parts = append(parts, fmt.Sprintf("%s up to %d ms", e.Name, e.Most))
	}
	return phrase.Join("; ", strings.Join(parts, ", "), phrase.When(r.Slow > 0, "%d in the slow log", r.Slow))
}
