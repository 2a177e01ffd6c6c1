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

// Prove proves how long single operations take on the device d that the emulators
// make, one or the members of an array. Meanwhile they act without limits of IOPS
// and throughput, and afterwards as before, with full buckets: where a limit allows
// fewer operations than the latency does, all that could be proved is the limit.
//
// It reads from the block device readPath and writes to the file writePath, which
// lies in the filesystem on that device, has been written before and is at least
// 8 KiB long, with direct I/O. Where the device has a write cache each write is
// followed by fdatasync. It takes some 0.4 s. A pass-through proves nothing.
//
// The file is written in place, page by page: a write that makes it longer would
// take the filesystem's journal along.
func Prove(ctx context.Context, readPath, writePath string, d device.Device, emulators ...*Emulator) (p Proof, err error) {
	err = withoutLimits(ctx, emulators, func() error {
		p, err = prove(ctx, readPath, writePath, device.Unlimited(d))
		return err
	})
	if err != nil {
		return Proof{}, fmt.Errorf("cannot prove the delay of an emulated device: %w", err)
	}
	return p, nil
}

// putBackLimit is how long an emulator that does not answer is asked for its limits
// back, also after the end of ctx.
const putBackLimit = 2 * time.Second

// withoutLimits has emulators act without limits while do, which may fail or be
// given up: they have them back in any case.
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

func prove(ctx context.Context, readPath, writePath string, d device.Device) (p Proof, err error) {
	if err := checkDevice(d); err != nil {
		return p, err
	}
	reads, writes := expect(d, device.Read), expect(d, device.Write)
	p = Proof{ExpectedRead: reads.median, BoundRead: reads.bound,
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

// openWhole opens a target of its own size.
func openWhole(path string, write bool) (*target, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, 2) // of a block device, too
	if err != nil {
		return nil, err
	}
	return openTarget(path, size, write)
}
