package metric

// How far the replicas of a server are behind, whichever engine it is of. A server
// without one has none of them.
var replicaFigures = []Figure{
	{Name: "replication-lag", Title: "replication lag", Unit: "bytes", Better: Lower,
		Help: "Bytes of changes that the replica had not taken, on average over the ends of seconds; of several replicas that which was furthest behind. " +
			"Of PostgreSQL what was not replayed (replay_lag), of Redis what was not confirmed: replicas confirm once a second."},
	{Name: "replication-lag-worst", Title: "worst replication lag", Unit: "bytes", Better: Lower,
		Help: "The most at the end of a second."},
	{Name: "replication-lag-worst-second", Title: "second of the worst replication lag", Unit: "s", Moment: true,
		Help: "The first second that had it, from the start of the window."},
	{Name: "replication-delay-worst", Title: "longest silence of a replica", Unit: "ns", Better: Lower, Servers: redis,
		Help: "Time since a replica had last confirmed anything, at most, in whole seconds: 0 or 1 while all is well."},
}
