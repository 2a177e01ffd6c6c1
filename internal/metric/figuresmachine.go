package metric

// The CPU time of a machine is shared out among owners, steal, iowait and idling.
var cpuFigures = []Figure{
	{Name: "cpu-use", Title: "CPU use", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs in which they worked for somebody here: neither idle, nor waiting for I/O, nor stolen."},
	{Name: "cpu-by-server", Title: "CPU use by the server", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs that the server's processes used."},
	{Name: "cpu-by-generator", Title: "CPU use by the load generator", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs that the load generator used."},
	{Name: "cpu-by-plinth", Title: "CPU use by plinth", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs that plinth itself used, its telemetry included."},
	{Name: "cpu-by-others", Title: "CPU use by others", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time of all CPUs that anything else on the machine used, kernel threads included."},
	{Name: "cpu-iowait", Title: "iowait", Unit: "1", Share: true,
		Help: "Share of the time of all CPUs in which they idled while I/O was under way."},
	{Name: "cpu-steal", Title: "steal", Unit: "1", Better: Lower, Share: true,
		Help: "Share of the time of all CPUs that the hypervisor gave to somebody else."},
}

// diskFigures are those of the disks of one role: "data" or "wal". Where WAL lies
// with the data both are of the same disks, so that a comparison with WAL on disks
// of its own has two sides.
func diskFigures(role string) []Figure {
	disk, of, servers := role+"-disk-", "data disk", []string(nil)
	if role == "wal" {
		of, servers = "WAL disk", postgres
	}
	figures := []Figure{
		{Name: disk + "iops", Title: of + " IOPS", Unit: "1/s",
			Help: "Read and write requests that the " + of + " completed a second; of several disks the sum."},
		{Name: disk + "iops-peak", Title: of + " peak IOPS", Unit: "1/s",
			Help: "The most in one second."},
		{Name: disk + "bytes", Title: of + " throughput", Unit: "bytes/s",
			Help: "What was read from and written to the " + of + " a second; of several disks the sum."},
		{Name: disk + "bytes-peak", Title: of + " peak throughput", Unit: "bytes/s",
			Help: "The most in one second."},
		{Name: disk + "read-latency", Title: of + " read latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a read request, in the queue and on the disk, over all of them."},
		{Name: disk + "write-latency", Title: of + " write latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a write request, in the queue and on the disk, over all of them."},
		{Name: disk + "flush-latency", Title: of + " flush latency", Unit: "ns", Better: Lower,
			Help: "Mean time of a flush of the disk's write cache, over all of them."},
		{Name: disk + "utilisation", Title: of + " busy", Unit: "1", Share: true,
			Help: "Share of the time in which the " + of + " had a request in flight; of several disks the busiest one. A disk that serves many requests at once is not full at 100 %."},
		{Name: disk + "queue", Title: of + " queue", Unit: "1",
			Help: "Requests in the queue and on the disk, on average; of several disks the sum."},
	}
	return only(servers, figures)
}
