package experiment

import "strings"

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
