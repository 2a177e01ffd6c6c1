package experiment

import "plinth/internal/strictyaml"

// The load generators of Redis.
const (
	OwnGenerator   = "plinth"
	RedisBenchmark = "redis-benchmark"
)

// redis checks what only Redis has.
func (c *checker) redis() {
	e := c.e
	if e.Engine != EngineRedis {
		return
	}
	if e.Pipeline > 1 && len(e.Rates) > 0 && c.sound(&e.Pipeline, &e.Rates) {
		c.add(first(c.places[&e.Pipeline], c.places[&e.Rates]), "leave out one of the two",
			"pipeline and rate are both given: requests that are due one by one are not sent in batches")
	}
	if place := c.places[&e.Dataset.Size]; place != nil && e.Dataset.Keys == 0 && c.sound(&e.Dataset.Keys) {
		c.add(place, "give dataset.keys, too; payload is the size of what the load writes", "dataset.size without dataset.keys: nothing is loaded")
	}
	if place := c.places[&e.Reset]; e.Reset == "vacuum" && place != nil {
		c.add(place, "it can be rewrite, reload or none", "reset: vacuum is PostgreSQL's")
	}
	if e.Generator == RedisBenchmark && c.sound(&e.Generator) {
		c.redisBenchmark()
	}
}

// redisBenchmark notes what redis-benchmark cannot do.
func (c *checker) redisBenchmark() {
	e := c.e
	const other = "generator: plinth can"
	if e.Transactions == 0 && c.sound(&e.Transactions) {
		c.add(first(c.places[&e.Duration], c.places[&e.Generator]), other+"; or give transactions: 50000",
			"redis-benchmark sends a number of requests; it can't stop after a time")
	}
	if len(e.Rates) > 0 && c.sound(&e.Rates) {
		c.add(c.places[&e.Rates], other, "redis-benchmark can't send requests at a rate")
	}
	if e.Distribution != "uniform" && c.sound(&e.Distribution) {
		c.add(c.places[&e.Distribution], other, "redis-benchmark draws its keys uniformly, not %s", e.Distribution)
	}
	if e.Warmup > 0 && c.sound(&e.Warmup) {
		c.add(c.places[&e.Warmup], other+"; or leave warmup out", "redis-benchmark has no warm-up: all that it sends is in its numbers")
	}
	for i := range e.Workloads {
		if w := &e.Workloads[i]; len(w.Scripts) > 1 && c.sound(w) {
			c.add(first(c.places[&w.Name], c.places[w]), other, "redis-benchmark can't mix tests, as workload %s does", strictyaml.Bare(w.Name))
		}
	}
}
