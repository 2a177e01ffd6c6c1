package profile

import "strconv"

// Facts holds the facts that expressions of profiles can use. An unknown fact is zero; a value
// that needs it is not applicable.
type Facts struct {
	Memory   int64  `expr:"memory"`    // bytes that the server may use: its limit, else the machine's
	Limited  bool   `expr:"limited"`   // whether Memory is a limit, less than the machine has
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
	Settings    map[string]string `expr:"settings"`    // of the server, in its own format
	WALSegment  int64             `expr:"wal_segment"` // bytes of a WAL segment of PostgreSQL
	// HugePagesNeeded is shared_memory_size_in_huge_pages with the requested settings.
	HugePagesNeeded int64 `expr:"huge_pages_needed"`

	Disk Disk `expr:"disk"` // of the data
	WAL  Disk `expr:"wal"`
}

// HugePagesOthers returns how many of the huge pages that are in use belong to other processes than the server. From version
// 17 on, a server says whether it uses them; of an earlier one with huge_pages = try, they are taken for its own if there are
// enough of them.
func (f Facts) HugePagesOthers() int64 {
	own, err := strconv.ParseInt(f.Settings["shared_memory_size_in_huge_pages"], 10, 64)
	if err != nil { // before PostgreSQL 15, a server does not say how many it needs
		own = f.HugePagesNeeded
	}
	uses := f.Settings["huge_pages_status"] == "on"
	if f.Settings["huge_pages_status"] == "" {
		requested := f.Settings["huge_pages"]
		uses = requested == "on" || requested == "try" && f.HugePagesUsed >= own
	}
	if !uses {
		own = 0
	}
	return max(0, f.HugePagesUsed-own)
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

// Disk holds what is known of a disk: its filesystem, its read-ahead, and the results of a probe, which are zero without one.
type Disk struct {
	Probed          bool    `expr:"probed"`
	Rotational      bool    `expr:"rotational"`
	Size            int64   `expr:"size"`            // bytes of the filesystem
	ReadAhead       int64   `expr:"read_ahead"`      // bytes, of the device under the filesystem
	RandomRead      float64 `expr:"random_read"`     // seconds to read 8 KiB at queue depth 1
	SequentialRead  float64 `expr:"sequential_read"` // seconds to read 8 KiB sequentially
	Sync            float64 `expr:"sync"`            // seconds to make a write of 8 KiB durable
	BestDepth       int     `expr:"best_depth"`      // queue depth above which reads per second do not increase
	RandomReadsMost float64 `expr:"random_reads_most"`
}
