package emulator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How MeasurePath spends its time.
const (
	singleRounds = 12 // of reads, and of writes
	singleTime   = 25 * time.Millisecond
	ceilingTime  = 400 * time.Millisecond // of reads, and of writes
	ceilingDepth = 32
)

// MeasurePath measures what the path to the emulator costs, and how much it lets
// through, in some 1.5 s: path is the loop device (or a file) on the image of an
// emulator that acts as a pass-through, size its size in bytes. It writes all over
// it, so it comes before a filesystem.
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
	// Writes first: what was never written is read without the disk.
	if c.WriteIOPS, err = write.together(ctx, ceilingDepth, ceilingTime); err != nil {
		return c, err
	}
	if c.ReadIOPS, err = read.together(ctx, ceilingDepth, ceilingTime); err != nil {
		return c, err
	}
	c.Path, err = measureSingle(ctx, write)
	return c, err
}

// measureSingle measures single operations, writes and reads in turns. It takes the
// lower quartile of several medians: what others do to this machine in a moment is
// not the path's, and would be taken off each delay from then on.
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

// together is how many operations a second there are with depth of them at once.
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
