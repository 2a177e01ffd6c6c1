package figure

// processor returns what a transaction costs the processor. Per transaction means the sum of an event
// over all seconds, divided by that of the transactions.
func (m *maker) processor() {
	const cycles, instructions, loads, remote = "perf.cycles", "perf.instructions", "perf.node-loads", "perf.node-load-misses"
	m.put("cycles-per-transaction", m.Share([]string{cycles}, []string{"tps"}))
	m.put("instructions-per-transaction", m.Share([]string{instructions}, []string{"tps"}))
	m.put("instructions-per-cycle", m.Share([]string{instructions}, []string{cycles}))
	m.put("dtlb-misses-per-transaction", m.Share([]string{"perf.dTLB-load-misses"}, []string{"tps"}))
	m.put("llc-misses-per-transaction", m.Share([]string{"perf.LLC-load-misses"}, []string{"tps"}))
	m.put("remote-numa-share", m.Share([]string{remote}, []string{loads, remote}))
}
