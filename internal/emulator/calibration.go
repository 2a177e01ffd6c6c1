package emulator

import (
	"fmt"
	"math"
	"slices"
	"time"

	"plinth/internal/device"
)

// Path is the latency that the path to the emulator and back adds to one operation of 8 KiB on an
// idle device.
type Path struct {
	Read  time.Duration `json:"read"`
	Write time.Duration `json:"write"`
}

// PathCost is the cost of the path through filesystem, loop device and emulator without any
// delay: latency and throughput of operations of 8 KiB with direct I/O.
type PathCost struct {
	Path                        // sequential operations: lower quartile of medians
	ReadIOPS, WriteIOPS float64 // the ceiling: with 32 in flight
}

// beyond returns by how much operations took longer than the delays. An operation cannot take
// less, except for measurement error.
func (p Path) beyond(read, write time.Duration) Path {
	return Path{Read: max(0, p.Read-read), Write: max(0, p.Write-write)}
}

// The tolerance of a verification is the larger of the two, plus the sampling error of medians of
// so few operations.
const (
	boundShare = 0.05
	boundTime  = 30 * time.Microsecond
)

// Calibration is the verification of an emulated device while nothing else used it: medians of
// sequential single reads and writes of 8 KiB, without the device's limits, next to the model's.
// On a device with a write cache, a write includes its flush.
type Calibration struct {
	ExpectedRead, MeasuredRead   time.Duration
	ExpectedWrite, MeasuredWrite time.Duration
	// BoundRead and BoundWrite are the permitted differences between the medians.
	BoundRead, BoundWrite time.Duration
	Operations            int // of each kind; the smaller number
}

// Holds returns an error if a median is outside its bound. A model without latency always holds.
func (p Calibration) Holds() error {
	if far(p.MeasuredRead, p.ExpectedRead, p.BoundRead) {
		return fmt.Errorf("a read of the emulated device took %v instead of %v", p.MeasuredRead, p.ExpectedRead)
	}
	if far(p.MeasuredWrite, p.ExpectedWrite, p.BoundWrite) {
		return fmt.Errorf("a write to the emulated device took %v instead of %v", p.MeasuredWrite, p.ExpectedWrite)
	}
	return nil
}

// Near reports whether both medians are within a third of their bounds, about as close as chance
// allows. A device that holds but is not near can be corrected: the cost of the path may have
// changed since Fit, because the machine was busier or quieter then.
func (p Calibration) Near() bool {
	return !far(p.MeasuredRead, p.ExpectedRead, p.BoundRead/3) && !far(p.MeasuredWrite, p.ExpectedWrite, p.BoundWrite/3)
}

func far(measured, expected, bound time.Duration) bool {
	return expected > 0 && (measured-expected).Abs() > bound
}

// Number of operations of each kind in a verification, and their target duration: enough for an
// accurate median of a fast device, and bounded for a slow one.
const (
	leastSamples    = 20
	mostSamples     = 200
	calibrationTime = 180 * time.Millisecond
)

// expectation is a model's prediction for the median of n operations.
type expectation struct {
	median, bound time.Duration
	n             int
}

// expect simulates a verification on the model, in the model's own time: no formula covers arrays
// and replicas together.
func expect(d device.Device, kind device.Kind) expectation {
	const trials = 100
	s := device.NewStation(d, 1)
	seconds := d.MeanSeconds(kind)
	if kind == device.Write {
		seconds += d.MeanSeconds(device.Flush)
	}
	n := min(max(int(float64(calibrationTime)/max(seconds*float64(time.Second), 1)), leastSamples), mostSamples)
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

// spread returns the standard deviation of all.
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

// median returns the median of all, which must not be empty. It sorts all.
func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// pageSize is the size of measured operations in bytes: PostgreSQL's page.
const pageSize = 8 << 10
