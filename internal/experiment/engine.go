package experiment

import (
	"strings"
)

// The engines of an experiment.
const (
	EnginePostgres = "postgres"
	EngineRedis    = "redis"
	// EngineOther is any other server, of an imported record: sysbench does not say which one it drove.
	EngineOther = "other"
)

// EngineName returns the display name of an engine, or "" for an unknown one.
func EngineName(engine string) string {
	return map[string]string{EnginePostgres: "PostgreSQL", EngineRedis: "Redis", EngineOther: "an unknown server"}[engine]
}

// ScriptsOf returns the scripts built into an engine's load generator: pgbench's built-in scripts,
// or the tests that redis-benchmark accepts with -t.
//
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/benchmarks/
func ScriptsOf(engine string) []string {
	switch engine {
	case EnginePostgres:
		return []string{"select-only", "simple-update", "tpcb-like"}
	case EngineRedis:
		return []string{
			"ping", "ping-inline", "set", "get", "incr", "lpush", "rpush", "lpop", "rpop", "sadd", "hset", "spop", "zadd", "mset",
		}
	}
	return nil
}

// Reads reports whether a test of Redis reads a key that must exist: its reply distinguishes a hit
// from a miss.
func (s Script) Reads() bool { return s.Builtin == "get" }

// Writes reports whether a script may change something: all but tests of Redis that do not, and pgbench's select-only.
func (s Script) Writes() bool { return !s.Reads() && s.UsesKeys() && s.Builtin != "select-only" }

// UsesKeys reports whether a test of Redis reads or changes a key.
func (s Script) UsesKeys() bool { return s.Builtin != "ping" && s.Builtin != "ping-inline" }

// Terms holds an engine's terms for its operations and data. Records have one schema for all
// engines: a Redis request is stored as a transaction, and requests per second as tps.
type Terms struct {
	Rate string `json:"rate"` // operations per second, as a title: "TPS", "RPS"
	Unit string `json:"unit"` // one operation: "transaction", "request"
	Row  string `json:"row"`  // unit of a dataset: "row", "key"
}

// TermsOf returns the terms of an engine. Redis counts requests, as redis-benchmark prints them
// ("requests per second"). An unknown engine, or none (an old record), gets pgbench's terms.
func TermsOf(engine string) Terms {
	if engine == EngineRedis {
		return Terms{Rate: "RPS", Unit: "request", Row: "key"}
	}
	return Terms{Rate: "TPS", Unit: "transaction", Row: "row"}
}

// Say translates a text about metrics from pgbench's terms: "peak TPS" becomes "peak RPS".
func (w Terms) Say(text string) string {
	return strings.NewReplacer("TPS", w.Rate, "transaction", w.Unit).Replace(text)
}

// Units returns the plural of Unit: "requests".
func (w Terms) Units() string { return w.Unit + "s" }

// WorkloadOf returns the workload of one built-in script of the load generator.
func WorkloadOf(name string) Workload {
	return Workload{Name: name, Scripts: []Script{{Name: name, Builtin: name, Weight: 1}}}
}
