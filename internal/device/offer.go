package device

import "plinth/internal/unit"

// Options are what a user has different from the catalog. Zero values leave it as
// it is.
type Options struct {
	IOPS        float64       // provisioned
	Throughput  unit.Rate     // provisioned
	Provisioned unit.Size     // the size that the limits follow from
	Latency     unit.Duration // median of reads and writes; the tails keep their ratio
	RoundTrip   unit.Duration // median to each replica; the tail keeps its ratio
	WriteCache  string        // "yes", "no", or "" for the catalog's
}

// Offer is what may be asked for of a device. Without Priced anything may: nobody
// sells it by figures.
type Offer struct {
	Priced bool `json:"priced"`
	// The sizes that are sold, and the one that the catalog's figures are of.
	LeastSize unit.Size `json:"least_size,omitempty"`
	MostSize  unit.Size `json:"most_size,omitempty"`
	Size      unit.Size `json:"size,omitempty"`
	// IOPS that may be provisioned, no more than IOPSPerGiB for each GiB; 0 where they
	// follow from the size.
	LeastIOPS  float64 `json:"least_iops,omitempty"`
	MostIOPS   float64 `json:"most_iops,omitempty"`
	IOPSPerGiB float64 `json:"iops_per_gib,omitempty"`
	// Throughput that may be provisioned, no more than BytesPerIOPS for each of the
	// IOPS; 0 where it follows from IOPS or size.
	LeastThroughput unit.Rate `json:"least_throughput,omitempty"`
	MostThroughput  unit.Rate `json:"most_throughput,omitempty"`
	BytesPerIOPS    unit.Size `json:"bytes_per_iops,omitempty"`
	Source          Source    `json:"source,omitzero"`
	// follow sets what follows from IOPS and size.
	follow func(d *Device, size unit.Size)
}
