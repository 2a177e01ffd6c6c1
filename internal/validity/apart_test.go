package validity

import "plinth/internal/record"

// driven moves the load generator of a sound case to two other machines.
func driven(c *Case, change func(g *record.GeneratorRun)) {
	c.Run.Threads = 4
	own := *c.Run.Evidence
	c.Run.Evidence.Generator = record.GeneratorEvidence{}
	for _, at := range []string{"ssh://load1", "ssh://load2"} {
		e := own
		c.Run.Generators = append(c.Run.Generators, record.GeneratorRun{At: at, Clients: 4, Threads: 2, Latency: 7.9e6, Evidence: &e,
			Network: &record.Network{RoundTrip: 2e5, Segments: 100_000, Retransmitted: 10}})
	}
	change(&c.Run.Generators[1])
}

var apartTrials = []trial{
	{"load generators apart", func(c *Case) { driven(c, func(*record.GeneratorRun) {}) }, "", ""},
	{"one of them is saturated", func(c *Case) {
		driven(c, func(g *record.GeneratorRun) { g.Evidence.Generator.CPU = 108 })
	}, "generator-saturated!", "ssh://load2: the 2 threads of the load generator spent 98.3 %"},
	{"others use its machine", func(c *Case) {
		driven(c, func(g *record.GeneratorRun) { g.Evidence.Machine.Others = 20 })
	}, "others-cpu", "ssh://load2: processes outside the experiment used"},
	{"others use its machine, which is the server's", func(c *Case) {
		driven(c, func(g *record.GeneratorRun) { g.Evidence.Machine.Others = 20 })
		c.Environment.At = "ssh://load2"
	}, "", ""},
	{"nothing was read there", func(c *Case) {
		driven(c, func(g *record.GeneratorRun) { g.Evidence.Gaps = []record.Gap{{What: "generator", Why: "gone"}} })
	}, "evidence-missing", "ssh://load2: could not be read: generator (gone)"},
	{"a lossy network", func(c *Case) {
		driven(c, func(g *record.GeneratorRun) { g.Network.Retransmitted = 200 })
	}, "network-retransmits", "ssh://load2: 0.2 % of the TCP segments were retransmitted"},
	{"a long network", func(c *Case) {
		driven(c, func(g *record.GeneratorRun) { g.Network.RoundTrip = 4.5e6 })
	}, "network-round-trip", "ssh://load2: a round trip to the server takes 4.5 ms of 7.9 ms"},
	{"a network that cannot be read", func(c *Case) {
		driven(c, func(g *record.GeneratorRun) {
			g.Network = &record.Network{Gaps: []record.Gap{{What: "retransmitted", Why: "no counters"}}}
		})
	}, "evidence-missing", "ssh://load2: could not be read: retransmitted (no counters)"},
	{"a busy machine that takes no part", func(c *Case) {
		driven(c, func(*record.GeneratorRun) {})
		c.Run.Evidence.Machine.Others, c.Run.Evidence.Changed, c.Environment.Elsewhere = 100, []string{"governor"}, true
	}, "", ""},
	{"a busy server", func(c *Case) {
		driven(c, func(*record.GeneratorRun) {})
		c.Run.Evidence.Machine.Others = 100
	}, "others-cpu", "processes outside the experiment"},
}
