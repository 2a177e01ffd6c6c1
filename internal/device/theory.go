package device

import (
	"math"

	"plinth/internal/unit"
)

// PageSize is the size of the operations that theory speaks of: PostgreSQL's page.
const PageSize = 8 * unit.KiB

// Expectation is what a device can do by its figures, with the published formulas.
// 0 stands for no bound: the model has none.
type Expectation struct {
	// QD1Reads and QD1Writes are operations of 8 KiB a second, each begun when the one
	// before it is done: 1 / mean latency ("PostgreSQL OLTP Benchmark - Case Study").
	// An array changes nothing: disks do not make one commit faster.
	QD1Reads  float64 `json:"qd1_reads"`
	QD1Writes float64 `json:"qd1_writes"`
	// Commits are durable writes a second, one after the other: a write, and the flush
	// where there is a write cache.
	Commits float64 `json:"commits"`
	// Reads and Writes are random operations of 8 KiB a second with any number of them
	// at once: for an array disks x IOPS of a disk, and for writes to mirrors half of
	// that (same source).
	Reads  float64 `json:"reads"`
	Writes float64 `json:"writes"`
	// Throughput is bytes a second: for an array stripes x throughput of a disk (same
	// source). Reads from mirrors can be faster: both copies serve.
	Throughput unit.Rate `json:"throughput"`
}

// Ideal is what theory expects of a device for good, bursts aside.
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
		Commits:    perSecond(d.MeanSeconds(Write) + d.MeanSeconds(Flush)),
		Reads:      rate * float64(stripes*copies),
		Writes:     rate * float64(stripes),
		Throughput: one.Throughput.Rate * unit.Rate(stripes),
	}
}

// ReadsAt and WritesAt are what theory expects of random operations of 8 KiB when
// depth of them are under way all the time: depth / latency, and no more than the
// limit.
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

// operations is how many of 8 KiB one disk lets through in a second: what its IOPS,
// its throughput or its queue allow, whichever is least; 0 for no bound.
func (d Device) operations() float64 {
	most := math.Inf(1)
	if d.IOPS.Bounds() {
		most = d.IOPS.Rate
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

// gp3Steps is the published way of a durable write through gp3: 950 to 3,120 us in
// all by the article, whose steps add up to 951 to 3,151.
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

// networkSteps is the way through another network volume: the steps that gp3's has
// too, and the rest of the median; how that divides is not published.
func networkSteps(median unit.Duration) []Step {
	rest := median - micros(51)
	return []Step{
		{"write() call", micros(1), micros(1), selection},
		{"kernel, submit", micros(5), micros(5), selection},
		{"card: encrypt, make packets", micros(5), micros(5), selection},
		{"network both ways, and replication", rest, rest, assumption},
		{"flash write, acknowledge", micros(35), micros(35), selection},
		{"card: interrupt", micros(3), micros(3), selection},
		{"kernel, completion", micros(2), micros(2), selection},
	}
}
