// Package device models a disk: the latency of reads, writes and flushes, and the limits
// on operations and bytes per second. The catalog has models of cloud volumes and local
// disks, with the source of each figure.
//
// A model is plain data. Station processes requests in model time and has no clock: the
// emulator passes it the machine's time, and a prediction passes it simulated time.
package device

import "plinth/internal/unit"

// Device is the model of one block device. Its yaml tags define the model file, which
// plinth probe writes and emulate: reads.
type Device struct {
	Name string `yaml:"name" json:"name" doc:"Short name of the device, as tables show it."`
	// Read, Write and Flush are the latencies of one operation on an idle device: for
	// reads and writes of 8 KiB, as the block layer of the host sees it.
	Read  Latency `yaml:"read" json:"read" doc:"Latency of a read of 8 KiB on an idle device."`
	Write Latency `yaml:"write" json:"write" doc:"Latency of a write of 8 KiB on an idle device."`
	Flush Latency `yaml:"flush" json:"flush" doc:"Latency of a flush of the write cache. Only with write_cache: true."`
	// WriteCache reports whether a write ends in a volatile cache that only a flush empties; a
	// durable write then takes a write and a flush. The host sees no such cache on network volumes.
	WriteCache bool `yaml:"write_cache" json:"write_cache" doc:"Whether writes end in a volatile cache, so that a durable write also takes a flush."`
	// IOPS and Throughput limit reads and writes together.
	IOPS       Limit     `yaml:"iops" json:"iops" doc:"Operations a second, reads and writes together. Absent: no limit."`
	Throughput FlowLimit `yaml:"throughput" json:"throughput" doc:"Bytes a second, reads and writes together. Absent: no limit."`
	// Transfer is the transfer rate of one long operation, in bytes a second. 0: the peak
	// of Throughput. Scale sets it, so that scaling the limits does not slow down a single
	// operation; model files do not have it.
	Transfer unit.Rate `yaml:"-" json:"transfer,omitempty" doc:"Bytes a second at which one long operation is transferred; absent: the throughput."`
	// OperationSize is the largest request that counts as one operation: with 256 KiB, a
	// request of 1 MiB counts as four. 0: every request counts as one.
	OperationSize unit.Size `yaml:"operation_size" json:"operation_size,omitempty" doc:"Bytes that count as one operation; a longer one counts as several."`
	// QueueDepth is the number of operations that the device processes at once; others
	// wait. 0: no limit.
	QueueDepth int `yaml:"queue_depth" json:"queue_depth,omitempty" doc:"Number of operations that the device processes at once; 0 for no limit."`
	// Replicas is the number of copies that a write waits for, each at the distance of
	// RoundTrip. 0: the model has no replication.
	Replicas  int     `yaml:"replicas" json:"replicas,omitempty" doc:"Copies that a write waits for; the slowest one counts. 0 if the write latency already includes replication."`
	RoundTrip Latency `yaml:"round_trip" json:"round_trip" doc:"Network round trip to each replica. Only with replicas."`
	// Durability describes what the data survives: "loss of a host".
	Durability string `yaml:"durability" json:"durability,omitempty" doc:"What the data survives: a power cut, the loss of a host, of a zone."`
	// Array makes the device a RAID of equal members, without figures of its own.
	Array *Array `yaml:"array" json:"array,omitempty" doc:"A RAID of equal members; then the device has no figures of its own."`
	// Source and Measured are informational; plinth does not evaluate them.
	Source   string `yaml:"source" json:"source,omitempty" doc:"Source of the figures."`
	Measured string `yaml:"measured" json:"measured,omitempty" doc:"When and on which machine they were measured."`
	// Disk is the disk on which the figures were measured; zero if unknown.
	Disk Disk `yaml:"disk" json:"disk,omitzero" doc:"The disk on which they were measured. An experiment does not accept the file under is: for a different disk."`
}

// Latency is a log-normal distribution of latencies, given by two of its quantiles. If
// P99 is 0, the latency is constant.
type Latency struct {
	Median unit.Duration `yaml:"median" json:"median" doc:"Median latency."`
	P99    unit.Duration `yaml:"p99" json:"p99,omitempty" doc:"99th percentile; without it the latency is constant."`
}

// Limit is a token bucket: the sustained rate (Rate), and the rate while the bucket is
// not empty (BurstRate), in operations a second. A zero Limit is no limit.
type Limit struct {
	Rate float64 `yaml:"rate" json:"rate" doc:"Sustained operations a second; they also refill the bucket."`
	// BurstRate is the rate while the bucket is not empty; 0: Rate.
	BurstRate float64 `yaml:"burst_rate" json:"burst_rate,omitempty" doc:"Operations a second while the bucket is not empty."`
	// Burst is the capacity of the bucket. It is full at the start.
	Burst float64 `yaml:"burst" json:"burst,omitempty" doc:"Capacity of the bucket, in operations."`
}

// FlowLimit is a Limit in bytes, with units.
type FlowLimit struct {
	Rate      unit.Rate `yaml:"rate" json:"rate" doc:"Sustained bytes a second; they also refill the bucket."`
	BurstRate unit.Rate `yaml:"burst_rate" json:"burst_rate,omitempty" doc:"Bytes a second while the bucket is not empty."`
	Burst     unit.Size `yaml:"burst" json:"burst,omitempty" doc:"Capacity of the bucket, in bytes."`
}

// Array is a RAID of equal members, each with its own buckets. Chunks go to the members in turn. A
// mirrored write waits for the slowest mirror; a read goes to one of the mirrors.
type Array struct {
	Level   int       `yaml:"level" json:"level" doc:"0, 1 or 10."`
	Members int       `yaml:"members" json:"members" doc:"Number of members: 2 or more; for RAID 10 an even number, 4 or more."`
	Chunk   unit.Size `yaml:"chunk" json:"chunk,omitempty" doc:"Bytes that go to one member before the next; not for RAID 1."`
	Of      *Device   `yaml:"of" json:"of" doc:"The model of each member."`
}
