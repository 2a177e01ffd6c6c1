// Package device is a model of a disk: how long a read, a write and a flush take,
// and how many of them, and how many bytes, it lets through. The catalog knows
// the volumes of clouds and the disks of machines, each figure with its source.
//
// A model is plain data. Station works requests off in the model's time, without
// any clock of its own: the emulator gives it the time of a real machine, a
// prediction gives it a time that it makes up.
package device

import "plinth/internal/unit"

// Device is the model of one block device. Its tags are the device file, which
// plinth probe writes and emulate: reads.
type Device struct {
	Name string `yaml:"name" json:"name" doc:"Short name of the device, as tables show it."`
	// Read, Write and Flush are how long one operation takes when it waits for
	// nothing: of 8 KiB, as the block layer of the host sees it.
	Read  Latency `yaml:"read" json:"read" doc:"How long a read of 8 KiB takes when nothing else goes on."`
	Write Latency `yaml:"write" json:"write" doc:"How long a write of 8 KiB takes when nothing else goes on."`
	Flush Latency `yaml:"flush" json:"flush" doc:"How long a flush of the write cache takes. Only with write_cache: true."`
	// WriteCache says that a write ends in a cache that only a flush empties; then a
	// durable write pays for both. Network volumes have none that the host sees.
	WriteCache bool `yaml:"write_cache" json:"write_cache" doc:"Whether writes end in a volatile cache, so that a durable write pays the flush as well."`
	// IOPS and Throughput bound reads and writes together.
	IOPS       Limit     `yaml:"iops" json:"iops" doc:"Operations a second, reads and writes together. Absent: no limit."`
	Throughput FlowLimit `yaml:"throughput" json:"throughput" doc:"Bytes a second, reads and writes together. Absent: no limit."`
	// Transfer is how many bytes a second one long operation moves at. 0: the peak of
	// Throughput. Scale sets it, so that a smaller disk is no slower one; no file has it.
	Transfer unit.Rate `yaml:"-" json:"transfer,omitempty" doc:"Bytes a second at which one long operation is transferred; absent: the throughput."`
	// OperationSize is how many bytes count as one operation: one of 1 MiB counts as
	// four where it is 256 KiB. 0: each counts as one.
	OperationSize unit.Size `yaml:"operation_size" json:"operation_size,omitempty" doc:"Bytes that count as one operation; a longer one counts as several."`
	// QueueDepth is how many operations it works on at once; others wait. 0: any number.
	QueueDepth int `yaml:"queue_depth" json:"queue_depth,omitempty" doc:"How many operations it works on at once; 0 for any number."`
	// Replicas is how many copies a write waits for, each of them behind RoundTrip.
	// 0: the device is not replicated by what the model knows.
	Replicas  int     `yaml:"replicas" json:"replicas,omitempty" doc:"Copies that a write waits for; the slowest one counts. 0 where Write holds all of that already."`
	RoundTrip Latency `yaml:"round_trip" json:"round_trip" doc:"Network round trip to each replica. Only with replicas."`
	// Durability says what the data survive, in words: "loss of a host".
	Durability string `yaml:"durability" json:"durability,omitempty" doc:"What the data survive: a power cut, the loss of a host, of a zone."`
	// Array makes it a RAID of equal members; then it has no figures of its own.
	Array *Array `yaml:"array" json:"array,omitempty" doc:"A RAID of equal members; then the device has no figures of its own."`
	// Source and Measured are for people: nothing follows from them.
	Source   string `yaml:"source" json:"source,omitempty" doc:"Where the figures are from."`
	Measured string `yaml:"measured" json:"measured,omitempty" doc:"When and on which machine they were measured."`
}

// Latency is how long something takes: a log-normal distribution, given by two of
// its quantiles. P99 0 stands for a constant.
type Latency struct {
	Median unit.Duration `yaml:"median" json:"median" doc:"Half of all take less."`
	P99    unit.Duration `yaml:"p99" json:"p99,omitempty" doc:"99 in 100 take less; the median unless said."`
}

// Limit is a token bucket of operations: what it lets through in a second, for
// good (Rate) and while the bucket has something in it (BurstRate). A zero Limit
// bounds nothing.
type Limit struct {
	Rate float64 `yaml:"rate" json:"rate" doc:"A second, for good: what refills the bucket."`
	// BurstRate is what it lets through while the bucket is not empty; 0: Rate.
	BurstRate float64 `yaml:"burst_rate" json:"burst_rate,omitempty" doc:"A second, while the bucket is not empty."`
	// Burst is what the bucket holds when it is full, as it is in the beginning.
	Burst float64 `yaml:"burst" json:"burst,omitempty" doc:"What the full bucket holds."`
}

// FlowLimit is a Limit of bytes, with their units.
type FlowLimit struct {
	Rate      unit.Rate `yaml:"rate" json:"rate" doc:"A second, for good: what refills the bucket."`
	BurstRate unit.Rate `yaml:"burst_rate" json:"burst_rate,omitempty" doc:"A second, while the bucket is not empty."`
	Burst     unit.Size `yaml:"burst" json:"burst,omitempty" doc:"What the full bucket holds."`
}

// Array is a RAID of equal members, each with buckets of its own. Chunks are dealt
// out in turn; mirrored writes wait for the slower member, reads go to either.
type Array struct {
	Level   int       `yaml:"level" json:"level" doc:"0, 1 or 10."`
	Members int       `yaml:"members" json:"members" doc:"How many: 2 or more; an even number for RAID 10."`
	Chunk   unit.Size `yaml:"chunk" json:"chunk,omitempty" doc:"What goes to one member before the next one's turn; not for RAID 1."`
	Of      *Device   `yaml:"of" json:"of" doc:"Each member."`
}
