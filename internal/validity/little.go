package validity

import "plinth/internal/record"

// Gap is the share of the clients' time that is in no latency: in a closed loop
// Little's law says that TPS x mean latency is the number of clients that wait
// for the server (J. Little, "A Proof for the Queuing Formula L = λW", 1961). The
// rest of them wait for the load generator, which has not read the answer or not
// sent the next query. The mean must be the transaction log's: pgbench's printed
// average is made from its TPS, and has no gap.
//
// 0 is no gap, 1 says that clients never waited. It is not known with an open
// loop, where clients wait for what is due, and where time of transactions is in no
// latency: that of those which failed, or a part of each.
func Gap(run record.Run) (float64, bool) {
	r := run.Result
	if r.Loop != "closed" || run.Clients < 1 || r.Failures > 0 || r.Transactions < 1 || r.Partial {
		return 0, false
	}
	return 1 - r.TPS*r.Latency.Mean/1e9/float64(run.Clients), true
}

// edge is how much of a gap the ends of the window may explain: at its end each
// client has a transaction under way, whose time is in no latency of the window.
func edge(run record.Run) float64 {
	return share(float64(run.Result.Latency.Max)/1e9, run.Result.Duration)
}
