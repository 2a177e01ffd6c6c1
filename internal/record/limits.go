package record

import (
	"reflect"

	"plinth/internal/host"
)

// Limits are the resource limits set for a server by the experiment, or those of a connected one's
// control groups.
type Limits struct {
	CPUs string `json:"cpus,omitempty"` // cpuset: "0-1"
	// Shared says that CPUs contains all CPUs: the load generator runs on them, too.
	Shared   bool    `json:"cpus_shared,omitempty"`
	CPUQuota float64 `json:"cpu_quota,omitempty"`    // CPU seconds per second
	Memory   int64   `json:"memory_bytes,omitempty"` // includes page cache, and HugePages
	// HugePages counts the bytes that the server has mapped in reserved huge pages: they leave the rest of Memory to
	// everything else.
	// In records without this field, huge pages were in addition to Memory.
	HugePages int64  `json:"huge_pages_bytes,omitempty"`
	Cgroup    string `json:"cgroup"` // "v1" or "v2"
	// CPUCredits are the CPU credits that set the quota while a load runs; nil for none.
	CPUCredits *CPUCredits `json:"cpu_credits,omitempty"`
}

// CPUCount returns how many CPUs the cpuset has: "0-1,4" has three (cpuset(7)).
func (l Limits) CPUCount() int {
	cpus, _ := host.ParseRanges(l.CPUs) // none, if it is damaged
	return len(cpus)
}

// SameLimits reports whether two servers have the same limits, whatever they have in huge pages.
func SameLimits(a, b *Limits) bool {
	if a == nil || b == nil {
		return a == b
	}
	one, other := *a, *b
	one.HugePages, other.HugePages = 0, 0
	return reflect.DeepEqual(one, other)
}

// CPUCredits are those of a burstable instance that a server is limited to. One credit is one vCPU
// for one minute.
type CPUCredits struct {
	Instance  string  `json:"instance"`       // "t3.large"
	Mode      string  `json:"mode"`           // "standard", "unlimited"
	Balance   float64 `json:"balance"`        // at the beginning of each load
	Sustained float64 `json:"sustained_cpus"` // the CPUs that remain when the credits are spent
}

// CreditsSpent describes how a run spent its CPU credits. The load includes the warm-up.
type CreditsSpent struct {
	Start float64 `json:"start"` // balance at the beginning of the load
	End   float64 `json:"end"`   // balance at its end
	Used  float64 `json:"used_cpu_s"`
	// Ended is the second of the measured window at which the balance was spent; negative during the
	// warm-up. It is absent if that did not happen, or in unlimited mode.
	Ended *float64 `json:"ended_s,omitempty"`
	// Expected is the same second according to the model: from the CPU time until then.
	Expected *float64 `json:"expected_s,omitempty"`
	Surplus  float64  `json:"surplus"` // credits spent in advance, in unlimited mode
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

// InstanceBurst is the Volume of a Burst that belongs to a cloud instance: its limit on all of its EBS
// volumes together.
const InstanceBurst = "instance"

// Burst describes how a run used the burst bucket of a volume or an instance. The load includes the
// warm-up.
type Burst struct {
	Volume string  `json:"volume"` // its role, or InstanceBurst
	Limit  string  `json:"limit"`  // "iops", "throughput"
	Left   float64 `json:"left"`   // of the bucket at the end of the load, by its model: 1 is full
	// Ended is the second of the measured window at which the emulator reported an empty bucket;
	// absent if it did not, or if the volume is not emulated.
	Ended *float64 `json:"ended_s,omitempty"`
	// Expected is that second according to the model: from the operations or bytes of the run.
	Expected *float64 `json:"expected_s,omitempty"`
}

// Instance holds the limits of a cloud instance on all of its EBS volumes together, as published. A
// limit that is not published is 0.
type Instance struct {
	Name            string  `json:"name"` // "m6i.large", "db.t3.large"
	VCPUs           int     `json:"vcpus"`
	IOPS            float64 `json:"ebs_iops"`                   // sustained
	Throughput      float64 `json:"ebs_throughput_bytes_per_s"` // sustained
	BurstIOPS       float64 `json:"ebs_burst_iops"`             // at most, for Burst at least once in 24 hours
	BurstThroughput float64 `json:"ebs_burst_throughput_bytes_per_s"`
	Burst           float64 `json:"ebs_burst_s"` // how long a full bucket lasts at the maximum; 0 for no burst
	Source          string  `json:"source"`
}
