package profile

// Facts are what expressions of profiles are about. What is not known is zero, and an
// expression that needs it says so.
type Facts struct {
	Memory   int64  `expr:"memory"`    // bytes that the server may use: its limit, else the machine's
	CPUs     int    `expr:"cpus"`      // that the server may use
	Nodes    []Node `expr:"nodes"`     // NUMA nodes
	HugePage int64  `expr:"huge_page"` // bytes, the default size
	// HugePages is how many static huge pages there are, HugePagesUsed how many of them are
	// in use or reserved, the server's among them; both of the default size.
	HugePages     int64  `expr:"huge_pages"`
	HugePagesUsed int64  `expr:"huge_pages_used"`
	Governor      string `expr:"governor"` // of most CPUs; "" without frequency scaling

	Engine      string            `expr:"engine"`  // "postgres", "redis"; "" without a server
	Version     int               `expr:"version"` // major, of the server; 0 unknown
	Connections int               `expr:"connections"`
	Settings    map[string]string `expr:"settings"` // of the server, as it shows them
	// HugePagesNeeded is shared_memory_size_in_huge_pages with the settings that are asked for.
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
	// HugePages is how many static huge pages of the default size are on it.
	HugePages int64 `expr:"huge_pages"`
}

// Disk is what a probe found of a disk; all zero where there was none.
type Disk struct {
	Probed          bool    `expr:"probed"`
	Rotational      bool    `expr:"rotational"`
	RandomRead      float64 `expr:"random_read"`     // seconds, 8 KiB at queue depth 1
	SequentialRead  float64 `expr:"sequential_read"` // seconds for 8 KiB, read in sequence
	Sync            float64 `expr:"sync"`            // seconds, a write of 8 KiB made durable
	BestDepth       int     `expr:"best_depth"`      // queue depth above which reads a second do not grow
	RandomReadsMost float64 `expr:"random_reads_most"`
}
