package profile

// Facts holds the facts that expressions of profiles can use. An unknown fact is zero; a value
// that needs it is not applicable.
type Facts struct {
	Memory   int64  `expr:"memory"`    // bytes that the server may use: its limit, else the machine's
	CPUs     int    `expr:"cpus"`      // that the server may use
	Nodes    []Node `expr:"nodes"`     // NUMA nodes
	HugePage int64  `expr:"huge_page"` // bytes, the default size
	// HugePages is the number of static huge pages, HugePagesUsed the number of them in use or
	// reserved, including the server's; both of the default size.
	HugePages     int64  `expr:"huge_pages"`
	HugePagesUsed int64  `expr:"huge_pages_used"`
	Governor      string `expr:"governor"` // that of most CPUs; "" without frequency scaling

	Engine      string            `expr:"engine"`  // "postgres", "redis"; "" without a server
	Version     int               `expr:"version"` // major version of the server; 0 if unknown
	Connections int               `expr:"connections"`
	Settings    map[string]string `expr:"settings"` // of the server, in its own format
	// HugePagesNeeded is shared_memory_size_in_huge_pages with the requested settings.
	HugePagesNeeded int64 `expr:"huge_pages_needed"`

	Disk Disk `expr:"disk"` // of the data
	WAL  Disk `expr:"wal"`
}

// Node is a NUMA node.
type Node struct {
	ID     int    `expr:"id"`
	CPUs   string `expr:"cpus"`
	Memory int64  `expr:"memory"` // bytes
	Free   int64  `expr:"free"`   // bytes
	// HugePages is the number of static huge pages of the default size on the node.
	HugePages int64 `expr:"huge_pages"`
}

// Disk holds the results of a probe of a disk; all zero without a probe.
type Disk struct {
	Probed          bool    `expr:"probed"`
	Rotational      bool    `expr:"rotational"`
	RandomRead      float64 `expr:"random_read"`     // seconds to read 8 KiB at queue depth 1
	SequentialRead  float64 `expr:"sequential_read"` // seconds to read 8 KiB sequentially
	Sync            float64 `expr:"sync"`            // seconds to make a write of 8 KiB durable
	BestDepth       int     `expr:"best_depth"`      // queue depth above which reads per second do not increase
	RandomReadsMost float64 `expr:"random_reads_most"`
}
