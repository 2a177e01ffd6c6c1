package experiment

import (
	"strings"
)

// The engines of an experiment.
const (
	EnginePostgres = "postgres"
	EngineRedis    = "redis"
)

// EngineName is the name of an engine as people write it; "" for an unknown engine.
func EngineName(engine string) string {
	return map[string]string{EnginePostgres: "PostgreSQL", EngineRedis: "Redis"}[engine]
}

// ScriptsOf are the scripts that an engine's load generator has by itself: pgbench's
// built-in scripts, and the tests of redis-benchmark as its -t names them.
//
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/benchmarks/
func ScriptsOf(engine string) []string {
	switch engine {
	case EnginePostgres:
		return []string{"select-only", "simple-update", "tpcb-like"}
	case EngineRedis:
		return []string{
			"ping", "set", "get", "incr", "lpush", "rpush", "lpop", "rpop", "sadd", "hset", "spop", "zadd", "mset",
		}
	}
	return nil
}

// Reads says whether a test of Redis reads a key that has to be there: its answer
// tells a hit from a miss.
func (s Script) Reads() bool { return s.Builtin == "get" }

// Writes says whether a test of Redis changes a key.
func (s Script) Writes() bool { return s.Builtin != "get" && s.Builtin != "ping" }

// Words are what people call the operations of an engine's load, and its data. Records have one
// schema for all engines: there a request of Redis is one of the transactions, and
// requests a second are tps.
type Words struct {
	Rate string `json:"rate"` // operations a second, as a title: "TPS", "RPS"
	Unit string `json:"unit"` // one operation: "transaction", "request"
	Row  string `json:"row"`  // what a dataset is made of: "row", "key"
}

// WordsOf are those of an engine. Redis counts requests, as redis-benchmark prints
// them ("requests per second"). An engine that this version does not know, or none
// (an old record), has those of pgbench.
func WordsOf(engine string) Words {
	if engine == EngineRedis {
		return Words{Rate: "RPS", Unit: "request", Row: "key"}
	}
	return Words{Rate: "TPS", Unit: "transaction", Row: "row"}
}

// Say puts a text about metrics, which is written in the words of pgbench, into
// these: "peak TPS" becomes "peak RPS".
func (w Words) Say(text string) string {
	return strings.NewReplacer("TPS", w.Rate, "transaction", w.Unit).Replace(text)
}

// Units are several operations: "requests".
func (w Words) Units() string { return w.Unit + "s" }

// WorkloadOf is the workload of one script that the load generator has by itself.
func WorkloadOf(name string) Workload {
	return Workload{Name: name, Scripts: []Script{{Name: name, Builtin: name, Weight: 1}}}
}
