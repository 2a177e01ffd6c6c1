package emulator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// The delays at which an emulator is fitted: those of the device that it will act as,
// within bounds. The longer a CPU has been at rest, the longer it takes to wake, and that is
// part of the path: fitted at 1 ms, a delay of 1.8 ms came out right and one of 0.2 ms
// 50 µs short. A longer one would only take more time.
const (
	leastFit = 100 * time.Microsecond
	mostFit  = 2 * time.Millisecond
)

// fitDelay is how long one operation of a kind takes while an emulator is fitted to d.
func fitDelay(d device.Device, kind device.Kind) time.Duration {
	return min(max(d.Quantile(kind, 0.5), leastFit), mostFit)
}

// Fit measures by how much single operations take longer than the delays of the device d
// say, and takes that off each delay from then on: the result. path is the block device
// of the emulator, size its size in bytes; it is written to. It takes some 0.7 s, and
// afterwards the emulator acts as it did before.
//
// What MeasurePath finds is less than that, and was tried: without a delay the CPUs
// never come to rest between operations. The median of 1.8 ms came out 4 % too high.
func (e *Emulator) Fit(ctx context.Context, path string, size int64, d device.Device) (Path, error) {
	p, err := e.fit(ctx, path, size, d)
	if err != nil {
		return Path{}, fmt.Errorf("cannot fit the delays of an emulated device: %w", err)
	}
	return p, nil
}

func (e *Emulator) fit(ctx context.Context, path string, size int64, d device.Device) (p Path, err error) {
	before := e.acting()
	reads, writes := fitDelay(d, device.Read), fitDelay(d, device.Write)
	even := device.Device{Name: "even", Read: device.Latency{Median: unit.Duration(reads)},
		Write: device.Latency{Median: unit.Duration(writes)}, WriteCache: before.Cached()}
	if err := errors.Join(e.Calibrate(ctx, Path{}), e.SetDevice(ctx, even)); err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, e.SetDevice(ctx, before)) }()
	t, err := openTarget(path, size, true)
	if err != nil {
		return p, err
	}
	defer t.file.Close()
	took, err := measureSingle(ctx, t)
	if err != nil {
		return p, err
	}
	p = took.beyond(reads, writes)
	return p, e.Calibrate(ctx, p)
}
