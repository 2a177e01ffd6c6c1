package record

// Limits are what a server may use of its machine, as set.
type Limits struct {
	CPUs string `json:"cpus,omitempty"` // cpuset: "0-1"
	// Shared says that these are all CPUs: the load generator runs on them, too.
	Shared   bool    `json:"cpus_shared,omitempty"`
	CPUQuota float64 `json:"cpu_quota,omitempty"`    // CPU seconds in a second
	Memory   int64   `json:"memory_bytes,omitempty"` // page cache included, huge pages not
	Cgroup   string  `json:"cgroup"`                 // "v1" or "v2"
}

// Pressure is a neighbour's load, as asked for, and as it was reached on average. Of
// what was reached, what was in its way counts as well: memory that was swapped out, and
// threads that waited for a CPU while others had it, press as much.
type Pressure struct {
	Volume  string  `json:"volume,omitempty"` // its role; none where it neither writes nor reads
	Write   float64 `json:"write_bytes_per_s,omitempty"`
	Read    float64 `json:"read_bytes_per_s,omitempty"`
	Memory  float64 `json:"memory_share,omitempty"` // of the machine's, held in memory
	Swapped float64 `json:"memory_swapped_share,omitempty"`
	CPU     float64 `json:"cpus,omitempty"` // that were kept busy
	Waiting float64 `json:"cpus_waited_for,omitempty"`
	Killed  bool    `json:"killed,omitempty"` // before the load ended, as the first when memory ends
}
