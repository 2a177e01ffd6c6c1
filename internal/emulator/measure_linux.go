package emulator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// Durations and depth of MeasurePath's measurements.
const (
	singleRounds = 12 // of reads, and of writes
	singleTime   = 25 * time.Millisecond
	ceilingTime  = 400 * time.Millisecond // of reads, and of writes
	ceilingDepth = 32
)

// MeasurePath measures the latency and the throughput ceiling of the path to the emulator, in about
// 1.5 s. path is the loop device (or a file) on the image of an emulator that acts as a
// pass-through, size its size in bytes. MeasurePath overwrites the contents, so call it before
// creating a filesystem.
func MeasurePath(ctx context.Context, path string, size int64) (PathCost, error) {
	c, err := measurePath(ctx, path, size)
	if err != nil {
		return PathCost{}, fmt.Errorf("cannot measure the path to the emulator: %w", err)
	}
	return c, nil
}

func measurePath(ctx context.Context, path string, size int64) (c PathCost, err error) {
	write, err := openTarget(path, size, true)
	if err != nil {
		return c, err
	}
	defer write.file.Close()
	read := write.reading()
	// Writes come first: reading never-written blocks does not reach the disk.
	if c.WriteIOPS, err = write.together(ctx, ceilingDepth, ceilingTime); err != nil {
		return c, err
	}
	if c.ReadIOPS, err = read.together(ctx, ceilingDepth, ceilingTime); err != nil {
		return c, err
	}
	c.Path, err = measureSingle(ctx, write)
	return c, err
}

// measureSingle measures single operations, alternating between writes and reads. It returns the
// lower quartile of several medians: a brief disturbance by other load is not part of the path's
// cost, which is subtracted from every later delay.
func measureSingle(ctx context.Context, write *target) (Path, error) {
	read := write.reading()
	var reads, writes []time.Duration
	for range singleRounds {
		took, err := write.oneByOne(ctx, math.MaxInt, singleTime)
		if err != nil {
			return Path{}, err
		}
		writes = append(writes, median(took))
		if took, err = read.oneByOne(ctx, math.MaxInt, singleTime); err != nil {
			return Path{}, err
		}
		reads = append(reads, median(took))
	}
	return Path{Read: lowerQuartile(reads), Write: lowerQuartile(writes)}, nil
}

func lowerQuartile(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/4]
}

// together returns the operations per second with depth of them in flight.
func (t *target) together(ctx context.Context, depth int, length time.Duration) (float64, error) {
	var count atomic.Int64
	errs := make([]error, depth)
	var workers sync.WaitGroup
	begin := time.Now()
	for w := range depth {
		workers.Go(func() { errs[w] = t.work(ctx, &count, begin.Add(length)) })
	}
	workers.Wait()
	if err := errors.Join(ctx.Err(), errors.Join(errs...)); err != nil {
		return 0, err
	}
	return float64(count.Load()) / time.Since(begin).Seconds(), nil
}

func (t *target) work(ctx context.Context, count *atomic.Int64, end time.Time) error {
	page, free, err := alignedPage()
	if err != nil {
		return err
	}
	defer free()
	for time.Now().Before(end) && ctx.Err() == nil {
		if err := t.do(page, count.Add(1)); err != nil {
			return err
		}
	}
	return nil
}

// Bounds of the delays at which an emulator is calibrated; within them it uses the delay of the
// device that it will emulate. The longer a CPU has been idle, the longer it takes to wake up,
// and that is part of the path: calibrated at 1 ms, a delay of 1.8 ms was right and one of 0.2 ms
// 50 µs too short. A delay above the bound would only prolong the calibration.
const (
	leastFit = 100 * time.Microsecond
	mostFit  = 2 * time.Millisecond
)

// fitDelay returns the delay of one operation of a kind while an emulator is calibrated for d.
func fitDelay(d device.Device, kind device.Kind) time.Duration {
	return min(max(d.Quantile(kind, 0.5), leastFit), mostFit)
}

// Fit measures how much longer single operations take than the delays of the device d, subtracts
// that from each delay from then on, and returns the result. path is the emulator's block device,
// size its size in bytes; Fit writes to it. It takes about 0.7 s, and then restores the model in
// effect before.
//
// MeasurePath finds a smaller value, because without a delay the CPUs never become idle between
// operations. When that value was subtracted, the median of a delay of 1.8 ms was 4 % too high.
func (e *Emulator) Fit(ctx context.Context, path string, size int64, d device.Device) (Path, error) {
	p, err := e.fit(ctx, path, size, d)
	if err != nil {
		return Path{}, fmt.Errorf("cannot correct the delays of an emulated device: %w", err)
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

// target is a file or block device that is measured with direct I/O.
type target struct {
	file  *os.File
	pages int64
	write bool
	sync  bool // fdatasync after each write
}

func openTarget(path string, size int64, write bool) (*target, error) {
	how := os.O_RDONLY
	if write {
		how = os.O_RDWR
	}
	f, err := os.OpenFile(path, how|unix.O_DIRECT, 0)
	if err != nil {
		return nil, err
	}
	if size < pageSize {
		_ = f.Close()
		return nil, fmt.Errorf("%s is smaller than %d bytes", path, pageSize)
	}
	return &target{file: f, pages: size / pageSize, write: write}, nil
}

// reading returns a copy of t for reads.
func (t *target) reading() *target {
	r := *t
	r.write = false
	return &r
}

// do performs operation i on one page. Consecutive pages are far apart, so that nothing is merged
// or read ahead.
func (t *target) do(page []byte, i int64) error {
	const stride = 1000003 // a prime, so every page is reached
	offset := i * stride % t.pages * pageSize
	if !t.write {
		_, err := t.file.ReadAt(page, offset)
		return err
	}
	if _, err := t.file.WriteAt(page, offset); err != nil || !t.sync {
		return err
	}
	return unix.Fdatasync(int(t.file.Fd()))
}

// oneByOne returns the durations of sequential operations: at most most of them, and none started
// after limit.
func (t *target) oneByOne(ctx context.Context, most int, limit time.Duration) ([]time.Duration, error) {
	page, free, err := alignedPage()
	if err != nil {
		return nil, err
	}
	defer free()
	var took []time.Duration
	for begin := time.Now(); len(took) < most && time.Since(begin) < limit && ctx.Err() == nil; {
		start := time.Now()
		if err := t.do(page, int64(len(took))); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, ctx.Err()
}

// alignedPage returns memory aligned for direct I/O.
func alignedPage() (page []byte, free func(), err error) {
	page, err = unix.Mmap(-1, 0, pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, err
	}
	return page, func() { _ = unix.Munmap(page) }, nil
}
