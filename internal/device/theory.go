package device

import (
	"math"

	"plinth/internal/unit"
)

// PageSize is the operation size that Expectation refers to: PostgreSQL's page.
const PageSize = 8 * unit.KiB

// Expectation is the performance of a device computed from its figures with the
// published formulas. 0 means that the model has no limit.
type Expectation struct {
	// QD1Reads and QD1Writes are operations of 8 KiB a second at queue depth 1: 1 / mean
	// latency ("PostgreSQL OLTP Benchmark - Case Study"). An array does not raise them:
	// more disks do not make one commit faster.
	QD1Reads  float64 `json:"qd1_reads"`
	QD1Writes float64 `json:"qd1_writes"`
	// Commits is durable writes a second at queue depth 1: a write, plus a flush if there
	// is a write cache.
	Commits float64 `json:"commits"`
	// Reads and Writes are random operations of 8 KiB a second at any queue depth: for an array,
	// Reads is disks x IOPS of a disk, and Writes is that divided by the number of mirrors, which
	// is 2 for RAID 10 (same source).
	Reads  float64 `json:"reads"`
	Writes float64 `json:"writes"`
	// Throughput is bytes a second: for an array stripes x throughput of a disk (same
	// source). Reads from mirrors can be faster, as all copies serve them.
	Throughput unit.Rate `json:"throughput"`
}

// Ideal returns the expected sustained performance of a device, without bursts.
func Ideal(d Device) Expectation {
	one, copies, stripes := d, 1, 1
	if a := d.Array; a != nil {
		one, stripes = *a.Of, a.Members
		switch a.Level {
		case 1:
			copies, stripes = a.Members, 1
		case 10:
			copies, stripes = 2, a.Members/2
		}
	}
	rate := one.operations()
	return Expectation{
		QD1Reads: perSecond(d.MeanSeconds(Read)), QD1Writes: perSecond(d.MeanSeconds(Write)),
		Commits:    perSecond(d.DurableSeconds()),
		Reads:      rate * float64(stripes*copies),
		Writes:     rate * float64(stripes),
		Throughput: one.Throughput.Rate * unit.Rate(stripes),
	}
}

// ReadsAt returns the expected random reads of 8 KiB a second at a constant queue depth:
// depth / latency, but no more than the limit.
func (e Expectation) ReadsAt(depth int) float64 { return atDepth(e.QD1Reads, e.Reads, depth) }

// WritesAt is ReadsAt for writes.
func (e Expectation) WritesAt(depth int) float64 { return atDepth(e.QD1Writes, e.Writes, depth) }

func atDepth(one, most float64, depth int) float64 {
	rate := one * float64(depth)
	if most > 0 && (rate > most || one == 0) {
		return most
	}
	return rate
}

// operations returns the limit of one disk in operations of 8 KiB a second: the smallest
// of the limits by IOPS, throughput and queue depth; 0 for no limit.
func (d Device) operations() float64 {
	most := math.Inf(1)
	if d.IOPS.Bounds() {
		most = d.IOPS.Rate
		if d.OperationSize > 0 && d.OperationSize < PageSize { // a page counts as several
			most /= math.Ceil(float64(PageSize) / float64(d.OperationSize))
		}
	}
	if d.Throughput.Bounds() {
		most = min(most, float64(d.Throughput.Rate)/float64(PageSize))
	}
	if latency := min(d.MeanSeconds(Read), d.MeanSeconds(Write)); d.QueueDepth > 0 && latency > 0 {
		most = min(most, float64(d.QueueDepth)/latency)
	}
	if math.IsInf(most, 1) {
		return 0
	}
	return most
}

func perSecond(s float64) float64 {
	if s == 0 {
		return 0
	}
	return 1 / s
}

// gp3Steps returns the published path of a durable write through gp3. The article gives
// 950 to 3,120 us in total, but its steps add up to 951 to 3,151.
func gp3Steps() []Step {
	return []Step{
		{"write() call", micros(1), micros(1), selection},
		{"kernel, submit", micros(5), micros(5), selection},
		{"card: encrypt", micros(3), micros(3), selection},
		{"card: make packets", micros(2), micros(2), selection},
		{"network to the storage server", micros(200), micros(800), selection},
		{"flash write", micros(30), micros(30), selection},
		{"replication", micros(500), micros(1500), selection},
		{"acknowledge", micros(5), micros(5), selection},
		{"network back", micros(200), micros(800), selection},
		{"card: interrupt", micros(3), micros(3), selection},
		{"kernel, completion", micros(2), micros(2), selection},
	}
}

// networkSteps returns the path through another network volume: the small steps of gp3,
// and the rest of the median as one step, as its breakdown is not published.
func networkSteps(median unit.Duration) []Step {
	rest := median - micros(51)
	return []Step{
		{"write() call", micros(1), micros(1), selection},
		{"kernel, submit", micros(5), micros(5), selection},
		{"card: encrypt, make packets", micros(5), micros(5), selection},
		{"network round trip and replication", rest, rest, assumption},
		{"flash write, acknowledge", micros(35), micros(35), selection},
		{"card: interrupt", micros(3), micros(3), selection},
		{"kernel, completion", micros(2), micros(2), selection},
	}
}
