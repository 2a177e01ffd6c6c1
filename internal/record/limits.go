package record

// Limits are the resource limits set for a server.
type Limits struct {
	CPUs string `json:"cpus,omitempty"` // cpuset: "0-1"
	// Shared says that CPUs contains all CPUs: the load generator runs on them, too.
	Shared   bool    `json:"cpus_shared,omitempty"`
	CPUQuota float64 `json:"cpu_quota,omitempty"`    // CPU seconds per second
	Memory   int64   `json:"memory_bytes,omitempty"` // includes page cache, excludes huge pages
	Cgroup   string  `json:"cgroup"`                 // "v1" or "v2"
}

// Pressure is a neighbour's load, as requested and as reached on average. Swapped-out memory, and
// threads that waited for a CPU, count as reached: they create as much pressure.
type Pressure struct {
	Volume  string  `json:"volume,omitempty"` // the volume's role; empty if the neighbour neither writes nor reads
	Write   float64 `json:"write_bytes_per_s,omitempty"`
	Read    float64 `json:"read_bytes_per_s,omitempty"`
	Memory  float64 `json:"memory_share,omitempty"` // share of the machine's memory that is held
	Swapped float64 `json:"memory_swapped_share,omitempty"`
	CPU     float64 `json:"cpus,omitempty"` // kept busy
	Waiting float64 `json:"cpus_waited_for,omitempty"`
	Killed  bool    `json:"killed,omitempty"` // before the load ended: the neighbour is the OOM killer's first victim
}
