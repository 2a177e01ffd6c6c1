package emulator

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// constant returns a device that takes d for every read and write.
func constant(d time.Duration) device.Device {
	l := device.Latency{Median: unit.Duration(d)}
	return device.Device{Name: "constant", Read: l, Write: l}
}

// become makes e act as d.
func become(t testing.TB, e *Emulator, d device.Device) {
	t.Helper()
	if err := e.SetDevice(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func reading(t testing.TB, e *Emulator) Reading {
	t.Helper()
	r, err := e.Reading(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// timed measures repeated calls of do at a queue depth.
func timed(t testing.TB, depth, each int, do func(page []byte, i int) error) []time.Duration {
	t.Helper()
	all := make([]time.Duration, depth*each)
	var workers sync.WaitGroup
	for w := range depth {
		page := page(t, 'x')
		workers.Go(func() {
			for n := range each {
				i := w*each + n
				begin := time.Now()
				if err := do(page, i); err != nil {
					t.Error(err)
					return
				}
				all[i] = time.Since(begin)
			}
		})
	}
	workers.Wait()
	return all
}

// operations returns a function that reads from, or writes to, the file at path.
func operations(t testing.TB, path string, write bool) func([]byte, int) error {
	f := direct(t, path)
	return func(p []byte, i int) error {
		offset := int64(i) * 7919 % (testSize / pageSize) * pageSize
		if write {
			_, err := f.WriteAt(p, offset)
			return err
		}
		_, err := f.ReadAt(p, offset)
		return err
	}
}

// sleeps returns a function that sleeps for d, as exactly as the kernel can.
func sleeps(d time.Duration) func([]byte, int) error {
	return func([]byte, int) error {
		rest := unix.NsecToTimespec(int64(d))
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &rest, &rest) == unix.EINTR {
		}
		return nil
	}
}

// TestNeverQuickerThanTheModel measures real time, but only a lower bound: a busy machine makes
// operations slower, and nothing makes them quicker. TestMeasureDelay measures the lateness.
func TestNeverQuickerThanTheModel(t *testing.T) {
	e := begin(t, device.Device{})
	file := e.Image()
	for _, c := range []struct {
		d     time.Duration
		depth int
	}{{1800 * time.Microsecond, 1}, {1800 * time.Microsecond, 16}, {200 * time.Microsecond, 1}} {
		become(t, e, constant(c.d))
		for _, write := range []bool{false, true} {
			before := reading(t, e)
			all := timed(t, c.depth, 10, operations(t, file, write))
			after := reading(t, e)
			if quickest := slices.Min(all); len(all) != 10*c.depth || quickest < c.d {
				t.Errorf("%v at depth %d, write %v: the quickest of %d took %v", c.d, c.depth, write, len(all), quickest)
			}
			if late := Late(before, after); late.Answered < int64(len(all)) {
				t.Errorf("%v at depth %d, write %v: %d operations, %d answered", c.d, c.depth, write, len(all), late.Answered)
			}
		}
	}
	for _, c := range []struct {
		d    device.Device
		each time.Duration // of 8 KiB
	}{
		{device.Device{Name: "iops", IOPS: device.Limit{Rate: 1000}}, time.Millisecond},
		{device.Device{Name: "flow", Throughput: device.FlowLimit{Rate: unit.Rate(4 * unit.MiB)}}, time.Second / 512},
	} {
		become(t, e, c.d)
		const depth, each = 8, 5
		begin := time.Now()
		timed(t, depth, each, operations(t, file, false))
		// The first one does not wait.
		if took, least := time.Since(begin), (depth*each-1)*c.each; took < least {
			t.Errorf("%s: %d operations took %v, want %v at least", c.d.Name, depth*each, took, least)
		}
	}
}

// TestManyAtOnce checks that the layers below the emulator pass on as many concurrent operations
// as requested: one by one, they would be as slow as on a disk without a queue.
func TestManyAtOnce(t *testing.T) {
	const depth = 16
	e := begin(t, device.Device{})
	device := loop(t, e).Name()
	for _, write := range []bool{false, true} {
		become(t, e, constant(time.Minute))
		do := operations(t, device, write)
		var workers sync.WaitGroup
		for i := range depth {
			page := page(t, 'x')
			workers.Go(func() { _ = do(page, i) }) // fails when the power is cut
		}
		await(t, func() bool { return reading(t, e).InFlight == depth })
		if err := errors.Join(e.PowerCut(t.Context()), e.PowerOn(t.Context())); err != nil {
			t.Fatal(err)
		}
		workers.Wait()
	}
}

// TestPath measures the path and calibrates an emulator, which must act as before afterwards.
func TestPath(t *testing.T) {
	e := begin(t, constant(time.Millisecond))
	become(t, e, device.Device{})
	cost, err := MeasurePath(t.Context(), e.Image(), testSize)
	if err != nil {
		t.Fatal(err)
	}
	if cost.Read <= 0 || cost.Write <= 0 || cost.ReadIOPS <= 0 || cost.WriteIOPS <= 0 {
		t.Errorf("the path costs %+v", cost)
	}
	before := constant(300 * time.Microsecond)
	become(t, e, before)
	fitted, err := e.Fit(t.Context(), e.Image(), testSize, constant(100*time.Microsecond))
	if err != nil || fitted.Read < 0 || fitted.Write < 0 || e.acting() != before {
		t.Errorf("fitted to %+v, %v; it acts as %+v", fitted, err, e.acting())
	}
}

// TestProof verifies a model and detects a slower one. Without a correction for the path, the
// measured time is at least the model's.
func TestProof(t *testing.T) {
	const read, write = time.Millisecond, 1500 * time.Microsecond
	slow := constant(read)
	slow.Write.Median, slow.Flush, slow.WriteCache = unit.Duration(write), slow.Read, true
	e := begin(t, slow)
	p, err := Calibrate(t.Context(), e.Image(), e.Image(), slow, e)
	if err != nil || p.ExpectedRead != read || p.ExpectedWrite != write+read || p.Operations < leastSamples ||
		p.MeasuredRead < p.ExpectedRead || p.MeasuredWrite < p.ExpectedWrite {
		t.Errorf("%v, %+v", err, p)
	}
	slower := device.Device{Name: "slower", Read: slow.Read.Scaled(3), Write: slow.Write.Scaled(3), Flush: slow.Flush, WriteCache: true}
	become(t, e, slower)
	if p, err = Calibrate(t.Context(), e.Image(), e.Image(), slow, e); err != nil || p.Holds() == nil {
		t.Errorf("3 ms was taken for 1 ms: %v, %+v", err, p)
	}
}

// TestProofOfALimitedDevice verifies the latency of a device whose limit allows fewer operations
// than the latency does. The limit must be restored, with a full bucket.
func TestProofOfALimitedDevice(t *testing.T) {
	d := constant(2 * time.Millisecond)
	d.IOPS = device.Limit{Rate: 50, BurstRate: 400, Burst: 40} // one per 20 ms
	e := begin(t, d)
	file := e.Image()
	timed(t, 1, 30, operations(t, file, false))
	p, err := Calibrate(t.Context(), file, file, d, e)
	if err != nil || p.ExpectedRead != 2*time.Millisecond || p.ExpectedWrite != 2*time.Millisecond || p.MeasuredRead < 2*time.Millisecond {
		t.Errorf("%v, %+v", err, p)
	}
	if r := reading(t, e); r.IOPSBalance != 1 || e.acting() != d {
		t.Errorf("after the proof its bucket is %v full, and it acts as %+v", r.IOPSBalance, e.acting())
	}
	given, cancel := context.WithCancel(t.Context())
	err = withoutLimits(given, []*Emulator{e}, func() error {
		if r := reading(t, e); !math.IsNaN(r.IOPSBalance) {
			t.Errorf("without limits it has a bucket, %v full", r.IOPSBalance)
		}
		cancel()
		return given.Err()
	})
	if r := reading(t, e); !errors.Is(err, context.Canceled) || e.acting() != d || r.IOPSBalance != 1 {
		t.Errorf("given up with %v it acts as %+v, its bucket %v full", err, e.acting(), r.IOPSBalance)
	}
}
