package emulator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// fitDelay is what the emulator waits while it is fitted.
const fitDelay = time.Millisecond

// Fit measures by how much single operations take longer than a delay of 1 ms, and
// takes that off each delay from then on: the result. path is the loop device on
// the image, size its size in bytes; it is written to. It takes some 0.7 s, and
// afterwards the emulator acts as it did before.
//
// What MeasurePath finds is less than that, and was tried: without a delay the CPUs
// never come to rest between operations, and waking them is part of the path. The
// median of 1.8 ms came out 4 % too high.
func (e *Emulator) Fit(ctx context.Context, path string, size int64) (Path, error) {
	p, err := e.fit(ctx, path, size)
	if err != nil {
		return Path{}, fmt.Errorf("cannot fit the delays of an emulated device: %w", err)
	}
	return p, nil
}

func (e *Emulator) fit(ctx context.Context, path string, size int64) (p Path, err error) {
	before := e.acting()
	delay := device.Latency{Median: unit.Duration(fitDelay)}
	even := device.Device{Name: "even", Read: delay, Write: delay, WriteCache: before.Cached()}
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
	p = Path{Read: max(0, took.Read-fitDelay), Write: max(0, took.Write-fitDelay)}
	return p, e.Calibrate(ctx, p)
}
