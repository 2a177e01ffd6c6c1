package experiment

import (
	"slices"
	"strings"

	"plinth/internal/strictyaml"
)

// The engines of an experiment.
const (
	EnginePostgres = "postgres"
	EngineRedis    = "redis"
)

// engineNames are the engines as people write them.
var engineNames = map[string]string{EnginePostgres: "PostgreSQL", EngineRedis: "Redis"}

// generatorNames are the load generators whose scripts people know.
var generatorNames = map[string]string{EnginePostgres: "pgbench", EngineRedis: "redis-benchmark"}

// driven are the scripts that each engine's load generator has by itself: pgbench's
// built-in scripts, and the tests of redis-benchmark as its -t names them.
//
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/benchmarks/
var driven = map[string][]string{
	EnginePostgres: {"select-only", "simple-update", "tpcb-like"},
	EngineRedis: {
		"ping", "set", "get", "incr", "lpush", "rpush", "lpop", "rpop", "sadd", "hset", "spop", "zadd", "mset",
	},
}

// engine is the engine that a file names, known before any of its keys is read,
// since it decides which keys there are.
func (s *source) engine() string {
	if s.root == nil {
		return EnginePostgres
	}
	if value := strictyaml.Lookup(s.root, "engine"); value != nil && engineNames[value.Value] != "" {
		return value.Value
	}
	return EnginePostgres
}

// Reads says whether a test of Redis reads a key that has to be there: its answer
// tells a hit from a miss.
func (s Script) Reads() bool { return s.Builtin == "get" }

// Writes says whether a test of Redis changes a key.
func (s Script) Writes() bool { return s.Builtin != "get" && s.Builtin != "ping" }

// testWeights takes the tests out of a mix as it is written for Redis: {name: cache,
// set: 1, get: 10}. What is left are the keys of a workload.
func testWeights(names []string) (tests, rest []string) {
	for _, name := range names {
		if slices.Contains(driven[EngineRedis], name) {
			tests = append(tests, name)
		} else {
			rest = append(rest, name)
		}
	}
	return tests, rest
}

// mixName is the name of a mix that has none: "set-1-get-10".
func mixName(scripts []Script) string {
	var parts []string
	for _, s := range scripts {
		parts = append(parts, s.Name, plainFloat(float64(s.Weight)))
	}
	return strings.Join(parts, "-")
}

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

// plainName is the name of a metric as records have it: who thinks in requests
// may write rps for tps, and rps-peak for tps-peak.
func plainName(name string) string {
	if rest, is := strings.CutPrefix(name, "rps"); is && (rest == "" || rest[0] == '-') {
		return "tps" + rest
	}
	return name
}
