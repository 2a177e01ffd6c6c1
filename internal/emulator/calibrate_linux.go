package emulator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"plinth/internal/device"
)

// Calibrate verifies how long single operations take on the device d, which the emulators implement
// as one device or as members of an array. Meanwhile, the emulators do not limit IOPS and
// throughput, because the latency could not be verified where a limit allows fewer operations than
// the latency does. Afterwards the limits apply again, with full buckets.
//
// It reads from the block device readPath and writes to the file writePath with direct I/O. The
// file is on the filesystem of that device, has been written before and is at least 8 KiB long. If
// the device has a write cache, fdatasync follows each write. Calibrate takes about 0.4 s. For a
// pass-through there is nothing to verify.
//
// The file is written in place, page by page: a write that extends it would involve the
// filesystem's journal.
func Calibrate(ctx context.Context, readPath, writePath string, d device.Device, emulators ...*Emulator) (p Calibration, err error) {
	err = withoutLimits(ctx, emulators, func() error {
		p, err = calibrate(ctx, readPath, writePath, device.Unlimited(d))
		return err
	})
	if err != nil {
		return Calibration{}, fmt.Errorf("cannot calibrate an emulated device: %w", err)
	}
	return p, nil
}

// putBackLimit is the timeout for restoring an emulator's limits, which is attempted even after
// ctx has ended.
const putBackLimit = 2 * time.Second

// withoutLimits calls do while the emulators act without limits, and restores the limits even if
// do fails or is cancelled.
func withoutLimits(ctx context.Context, emulators []*Emulator, do func() error) (err error) {
	for _, e := range emulators {
		before := e.acting()
		if err := e.SetDevice(ctx, device.Unlimited(before)); err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putBackLimit)
			defer cancel()
			err = errors.Join(err, e.SetDevice(ctx, before))
		}()
	}
	return do()
}

func calibrate(ctx context.Context, readPath, writePath string, d device.Device) (p Calibration, err error) {
	if err := checkDevice(d); err != nil {
		return p, err
	}
	reads, writes := expect(d, device.Read), expect(d, device.Write)
	p = Calibration{ExpectedRead: reads.median, BoundRead: reads.bound,
		ExpectedWrite: writes.median, BoundWrite: writes.bound, Operations: min(reads.n, writes.n)}
	read, err := openWhole(readPath, false)
	if err != nil {
		return p, err
	}
	defer read.file.Close()
	write, err := openWhole(writePath, true)
	if err != nil {
		return p, err
	}
	defer write.file.Close()
	write.sync = d.Cached()
	took, err := read.oneByOne(ctx, reads.n, math.MaxInt64)
	if err != nil {
		return p, err
	}
	p.MeasuredRead = median(took)
	if took, err = write.oneByOne(ctx, writes.n, math.MaxInt64); err != nil {
		return p, err
	}
	p.MeasuredWrite = median(took)
	return p, nil
}

// openWhole opens a target with its full size.
func openWhole(path string, write bool) (*target, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, 2) // works for block devices, too
	if err != nil {
		return nil, err
	}
	return openTarget(path, size, write)
}
