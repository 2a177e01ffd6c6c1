package emulator

import (
	"fmt"
	"math"
	"slices"
	"time"

	"plinth/internal/device"
)

// Path is what the way to the emulator and back costs one operation of 8 KiB when
// nothing else goes on.
type Path struct {
	Read  time.Duration `json:"read"`
	Write time.Duration `json:"write"`
}

// PathCost is what the path through filesystem, loop device and emulator costs by
// itself, without any delay, and how much it lets through: operations of 8 KiB with
// direct I/O.
type PathCost struct {
	Path                        // one operation after the other: medians of a quiet moment
	ReadIOPS, WriteIOPS float64 // the ceiling: with 32 at once
}

// beyond is by how much operations took longer than the delays; an operation cannot take
// less, but for the error of the measurement.
func (p Path) beyond(read, write time.Duration) Path {
	return Path{Read: max(0, p.Read-read), Write: max(0, p.Write-write)}
}

// The bound of a proof: a median may be off by the larger of the two, and by as much
// as chance makes medians of so few operations differ.
const (
	boundShare = 0.05
	boundTime  = 30 * time.Microsecond
)

// Proof is what an emulated device did when nobody else used it, beside what its
// model says: medians of single reads and writes of 8 KiB, one after the other,
// without its limits. Of a device with a write cache, a write includes its flush.
type Proof struct {
	ExpectedRead, MeasuredRead   time.Duration
	ExpectedWrite, MeasuredWrite time.Duration
	// BoundRead and BoundWrite are by how much the medians may differ.
	BoundRead, BoundWrite time.Duration
	Operations            int // of each kind; of the fewer
}

// Holds is nil when both medians are within their bounds of the model's. Where that
// has no latency there is nothing to hold.
func (p Proof) Holds() error {
	if far(p.MeasuredRead, p.ExpectedRead, p.BoundRead) {
		return fmt.Errorf("a read of the emulated device took %v instead of %v", p.MeasuredRead, p.ExpectedRead)
	}
	if far(p.MeasuredWrite, p.ExpectedWrite, p.BoundWrite) {
		return fmt.Errorf("a write to the emulated device took %v instead of %v", p.MeasuredWrite, p.ExpectedWrite)
	}
	return nil
}

// Near says whether both medians are within a third of their bounds, about as near as
// chance allows. What holds and is not near has room for a correction: what the path
// cost when it was fitted, on a machine that was busier or quieter then.
func (p Proof) Near() bool {
	return !far(p.MeasuredRead, p.ExpectedRead, p.BoundRead/3) && !far(p.MeasuredWrite, p.ExpectedWrite, p.BoundWrite/3)
}

func far(measured, expected, bound time.Duration) bool {
	return expected > 0 && (measured-expected).Abs() > bound
}

// How many operations of a kind a proof takes, and how long they may take: an
// accurate median of a fast device, and no more than half a second of a slow one.
const (
	leastProof = 20
	mostProof  = 200
	proofTime  = 180 * time.Millisecond
)

// expectation is what a model says of the median of n operations.
type expectation struct {
	median, bound time.Duration
	n             int
}

// expect asks the model itself, by doing in its time what a proof does: there is no
// formula for arrays and replicas together.
func expect(d device.Device, kind device.Kind) expectation {
	const trials = 100
	s := device.NewStation(d, 1)
	seconds := d.MeanSeconds(kind)
	if kind == device.Write {
		seconds += d.MeanSeconds(device.Flush)
	}
	n := min(max(int(float64(proofTime)/max(seconds*float64(time.Second), 1)), leastProof), mostProof)
	now := time.Duration(0)
	medians := make([]time.Duration, trials)
	for t := range medians {
		took := make([]time.Duration, n)
		for i := range took {
			done := s.Submit(now, device.Request{Kind: kind, Offset: int64(i) * pageSize, Size: pageSize})
			if kind == device.Write {
				done = s.Submit(done, device.Request{Kind: device.Flush})
			}
			took[i], now = done-now, done
		}
		medians[t] = median(took)
	}
	middle := median(medians)
	bound := max(time.Duration(boundShare*float64(middle)), boundTime) + 3*spread(medians)
	return expectation{middle, bound, n}
}

// spread is the standard deviation of all.
func spread(all []time.Duration) time.Duration {
	mean, squares := 0.0, 0.0
	for _, d := range all {
		mean += float64(d) / float64(len(all))
	}
	for _, d := range all {
		squares += (float64(d) - mean) * (float64(d) - mean)
	}
	return time.Duration(math.Sqrt(squares / float64(len(all))))
}

// median sorts all, which are not none.
func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// pageSize is the size of the operations that are measured: PostgreSQL's page.
const pageSize = 8 << 10
