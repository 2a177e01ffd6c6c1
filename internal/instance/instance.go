// Package instance is a catalog of cloud instances (types of virtual machines): CPUs, memory,
// local drives, and the limits of the instance on its network and on all of its EBS volumes
// together, each figure with its source. It models the CPU credits of burstable types.
package instance

import (
	"slices"
	"time"

	"plinth/internal/unit"
)

// Instance is a type of instance of Amazon EC2, or a class of a managed service on the same
// hardware. Zero values and nil mean that a figure is not published.
type Instance struct {
	Name string `json:"name"` // as found: "db.m6i.large"
	Type string `json:"type"` // the name of the hardware at EC2: "m6i.large"
	// Service is the managed service that runs the instance; empty for EC2.
	Service Service `json:"service,omitempty"`
	VCPUs   int     `json:"vcpus"`
	// Memory is that of the hardware. A managed service keeps a part of it for itself.
	Memory       unit.Size `json:"memory"`
	Architecture string    `json:"architecture"` // "x86_64" or "arm64"
	Processor    string    `json:"processor"`
	EBS          EBS       `json:"ebs,omitzero"`
	Network      Network   `json:"network,omitzero"`
	Drives       Drives    `json:"drives,omitzero"`
	// Credits are the CPU credits of a burstable type; nil for other types.
	Credits *Credits `json:"credits,omitempty"`
	// CoreMark is the result of one run of CoreMark on all vCPUs, in iterations a second.
	CoreMark  float64 `json:"coremark,omitempty"`
	NUMANodes int     `json:"numa_nodes,omitempty"`
}

// Service is a managed service of AWS.
type Service string

// The managed services whose classes the catalog knows.
const (
	Database Service = "database" // Amazon RDS and Aurora: names begin with "db."
	Cache    Service = "cache"    // Amazon ElastiCache: names begin with "cache."
)

// Managed reports whether a managed service runs the instance.
func (i Instance) Managed() bool { return i.Service != "" }

// EBS is the limit of an instance on all of its EBS volumes together, whatever the volumes could do.
type EBS struct {
	Baseline Ceiling `json:"baseline"` // sustained
	Maximum  Ceiling `json:"maximum"`
}

// An instance whose EBS maximum exceeds the baseline sustains the maximum for EBSBurst at least once
// in EBSBurstEvery.
const (
	EBSBurst      = 30 * time.Minute
	EBSBurstEvery = 24 * time.Hour
)

// The sizes of requests for which AWS publishes the limits.
const (
	IOPSRequest       = 16 * unit.KiB
	ThroughputRequest = 128 * unit.KiB
)

// Ceiling is an upper limit on reads and writes together.
type Ceiling struct {
	Bandwidth  int       `json:"bandwidth_mbit_s"` // Mbit/s, as published
	Throughput unit.Rate `json:"throughput"`       // Bandwidth in bytes a second
	IOPS       float64   `json:"iops"`             // operations a second
}

// Known reports whether the limits are published. Those of t2 are not.
func (e EBS) Known() bool { return e.Baseline.Bandwidth > 0 }

// Bursts reports whether the maximum exceeds the baseline, and so lasts for EBSBurst only.
func (e EBS) Bursts() bool { return e.Maximum != e.Baseline }

// Network is the bandwidth of an instance in each direction, in Mbit/s. An instance whose maximum
// exceeds the baseline reaches it on best effort, typically for 5 to 60 minutes.
type Network struct {
	Baseline int `json:"baseline_mbit_s"`
	Maximum  int `json:"maximum_mbit_s"`
}

// Bursts reports whether the maximum exceeds the baseline.
func (n Network) Bursts() bool { return n.Maximum > n.Baseline }

// Drives are the local drives of an instance. Their data is lost when the instance stops.
type Drives struct {
	Number int       `json:"number"`
	Size   unit.Size `json:"size"` // of each
	NVMe   bool      `json:"nvme"` // the interface
	Disk   bool      `json:"disk"` // rotating disks, not flash
}

// CoreMarkOf returns the median of the results of CoreMark for a vCPU of a processor, over the types that have it; 0 if
// there is no result. Each result is from one run, and differs by up to a quarter between types with the same processor.
func CoreMarkOf(processor string) float64 {
	var each []float64
	for _, i := range Catalog() {
		if i.Processor == processor && i.CoreMark > 0 && i.VCPUs > 0 {
			each = append(each, i.CoreMark/float64(i.VCPUs))
		}
	}
	if len(each) == 0 {
		return 0
	}
	slices.Sort(each)
	return each[len(each)/2]
}
