package record

// GeneratorRun describes what a load generator on a machine of its own did in a run, and the readings of
// that machine.
type GeneratorRun struct {
	At string `json:"at"` // its machine, as in the experiment file; empty for the one that plinth was started on

	// Its share of the load, and of the result.
	Clients      int     `json:"clients"`
	Threads      int     `json:"threads"`
	Rate         float64 `json:"rate,omitempty"`
	Transactions int64   `json:"transactions"`
	TPS          float64 `json:"tps"`
	Latency      float64 `json:"latency_mean_ns"`
	Driver       Driver  `json:"driver"`

	Clock    ClockComparison `json:"clock"`
	Evidence *Evidence       `json:"evidence,omitempty"` // of its machine
	Network  *Network        `json:"network,omitempty"`
}

// ClockComparison compares the clock of the server's machine with that of a load generator's machine,
// from the quickest of several answers. All times are in seconds.
type ClockComparison struct {
	Ahead  float64 `json:"ahead_s"`  // of the server's machine, before the run
	Within float64 `json:"within_s"` // the largest error of Ahead
	// Drift is by how much Ahead differed after the run, and DriftWithin the largest error of that.
	Drift       float64 `json:"drift_s"`
	DriftWithin float64 `json:"drift_within_s"`
}

// Network is the network between a load generator and its server, as seen from the load generator's
// machine.
type Network struct {
	// RoundTrip is that of the connections to the server, in nanoseconds: the least of each (tcpi_min_rtt
	// of tcp(7)), of which it is the median, read once a second. 0 if no connection was seen.
	RoundTrip float64 `json:"round_trip_ns,omitempty"`
	// The TCP segments of the machine during the load (OutSegs and RetransSegs of RFC 4022).
	Segments      int64 `json:"segments"`
	Retransmitted int64 `json:"retransmitted"`
	Gaps          []Gap `json:"gaps,omitempty"` // "round_trip_ns", "retransmitted"
}
