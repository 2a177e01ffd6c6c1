package emulator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/host/hosttest"
	"plinth/internal/unit"
)

// constant is a device that takes d for everything.
func constant(d time.Duration) device.Device {
	l := device.Latency{Median: unit.Duration(d)}
	return device.Device{Name: "constant", Read: l, Write: l}
}

// calibrated is an emulator that knows the path to its file. There is no loop device on
// it: that has threads of the kernel, which wait for a CPU as everybody does, and
// ComeFirst is not for them. What it adds is in the tests of volumes.
func calibrated(t testing.TB) (*Emulator, string) {
	t.Helper()
	hosttest.ComeFirst(t)
	e := begin(t, device.Device{})
	path := e.Image()
	cost, err := MeasurePath(t.Context(), path, testSize)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("path: read %v, write %v, ceiling %.0f and %.0f a second", cost.Read, cost.Write, cost.ReadIOPS, cost.WriteIOPS)
	if cost.Read <= 0 || cost.Write <= 0 || cost.ReadIOPS < 100 || cost.WriteIOPS < 100 {
		t.Errorf("an odd path: %+v", cost)
	}
	fit(t, e, path, constant(time.Millisecond))
	return e, path
}

// fit fits the delays of e to those of d.
func fit(t testing.TB, e *Emulator, path string, d device.Device) {
	t.Helper()
	fitted, err := e.Fit(t.Context(), path, testSize, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("fitted: read %v, write %v", fitted.Read, fitted.Write)
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

// timed is how long do takes, again and again, at a depth.
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

// operations are reads from, or writes to, the file f.
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

// sleeps are the naps of a thread, as exact as the kernel has them.
func sleeps(d time.Duration) func([]byte, int) error {
	return func([]byte, int) error {
		rest := unix.NsecToTimespec(int64(d))
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &rest, &rest) == unix.EINTR {
		}
		return nil
	}
}

// TestDelay compares the time of operations with that of sleeps of the same length
// beside them, in turns: what this machine does to both is not the emulator's.
func TestDelay(t *testing.T) {
	e, path := calibrated(t)
	for _, c := range []struct {
		d     time.Duration
		depth int
		// bound is the share of the time that may be missing or too much, beyond what
		// sleeps are late; 0 where two CPUs cannot do as many operations a second.
		bound float64
	}{
		{1800 * time.Microsecond, 1, 0.05}, {1800 * time.Microsecond, 16, 0.15},
		{500 * time.Microsecond, 1, 0.1}, {500 * time.Microsecond, 16, 0},
		{200 * time.Microsecond, 1, 0.25}, {200 * time.Microsecond, 16, 0},
	} {
		become(t, e, constant(c.d))
		fit(t, e, path, constant(c.d))
		for _, write := range []bool{false, true} {
			do := operations(t, path, write)
			tryAgain(t, e, path, func() error {
				before := reading(t, e)
				measured, beside, count := inTurns(t, c.d, c.depth, do)
				late := Late(before, reading(t, e))
				t.Logf("%v, depth %2d, write %-5v: %v, sleeps %v; late %v, p99 %v", c.d, c.depth, write, measured, beside, late.Mean, late.P99)
				if late.Answered < int64(count) {
					t.Errorf("%d operations, %d answered", count, late.Answered)
				}
				bound := max(time.Duration(c.bound*float64(c.d)), 30*time.Microsecond) + (beside.median - c.d).Abs()
				if off := (measured.median - c.d).Abs(); c.bound > 0 && off > bound {
					return fmt.Errorf("%v at depth %d, write %v: off by %v, more than %v", c.d, c.depth, write, off, bound)
				}
				return nil
			})
		}
	}
}

// inTurns does operations and sleeps of the same length d.
func inTurns(t testing.TB, d time.Duration, depth int, do func([]byte, int) error) (operations, beside description, count int) {
	t.Helper()
	var took, slept []time.Duration
	for range 3 {
		each := max(5, int(25*time.Millisecond/d))
		took = append(took, timed(t, depth, each, do)...)
		slept = append(slept, timed(t, depth, each, sleeps(d))...)
	}
	return describe(took), describe(slept), len(took)
}

type description struct{ mean, median, p99 time.Duration }

func (d description) String() string {
	return fmt.Sprintf("%v/%v/%v", d.mean.Round(time.Microsecond), d.median.Round(time.Microsecond), d.p99.Round(time.Microsecond))
}

func describe(all []time.Duration) description {
	var sum time.Duration
	for _, d := range all {
		sum += d
	}
	return description{sum / time.Duration(len(all)), median(all), all[len(all)*99/100]}
}

// TestLimits asks for as much as it gets.
func TestLimits(t *testing.T) {
	e, path := calibrated(t)
	iops := device.Device{Name: "iops", IOPS: device.Limit{Rate: 1000}}
	flow := device.Device{Name: "flow", Throughput: device.FlowLimit{Rate: unit.Rate(4 * unit.MiB)}}
	do := operations(t, path, false)
	for _, c := range []struct {
		d    device.Device
		want float64 // operations of 8 KiB a second
	}{{iops, 1000}, {flow, 512}} {
		tryAgain(t, e, path, func() error {
			become(t, e, c.d)
			const depth, each = 8, 50
			begin := time.Now()
			timed(t, depth, each, do)
			// The first one waits for nothing.
			rate := (depth*each - 1) / time.Since(begin).Seconds()
			if rate > 1.02*c.want {
				t.Errorf("%s: %.1f a second, more than %v", c.d.Name, rate, c.want)
			}
			if rate < 0.95*c.want { // whose clients came late
				return fmt.Errorf("%s: %.1f a second instead of %v", c.d.Name, rate, c.want)
			}
			return nil
		})
	}
}

// tryAgain allows a machine that others use a bad moment, or some. The path is fitted
// once more before each further try, and the least of all that was found is taken: others
// make it longer, never shorter.
func tryAgain(t testing.TB, e *Emulator, path string, do func() error) {
	t.Helper()
	var err error
	best := Path{Read: math.MaxInt64, Write: math.MaxInt64}
	for range 12 {
		if err = do(); err == nil {
			return
		}
		fitted, failed := e.Fit(t.Context(), path, testSize, e.acting())
		if failed != nil {
			t.Fatal(failed)
		}
		best = Path{Read: min(best.Read, fitted.Read), Write: min(best.Write, fitted.Write)}
		if failed := e.Calibrate(t.Context(), best); failed != nil {
			t.Fatal(failed)
		}
		t.Logf("again, fitted to %v and %v: %v", best.Read, best.Write, err)
	}
	t.Error(err)
}

// TestBurst empties a bucket: fast first, then at the rate that refills it; a
// refill makes it fast again.
func TestBurst(t *testing.T) {
	e, path := calibrated(t)
	do := operations(t, path, false)
	rate := func(count int) float64 {
		begin := time.Now()
		timed(t, 4, count/4, do)
		return float64(count) / time.Since(begin).Seconds()
	}
	tryAgain(t, e, path, func() error {
		become(t, e, device.Device{Name: "burst", IOPS: device.Limit{Rate: 200, BurstRate: 2000, Burst: 400}})
		if full := reading(t, e).IOPSBalance; full != 1 {
			t.Errorf("the bucket of a new device is %v full", full)
		}
		if throughput := reading(t, e).ThroughputBalance; !math.IsNaN(throughput) {
			t.Errorf("a bucket that is not there is %v full", throughput)
		}
		burst := rate(360) // of 444 that it lasts
		emptied := reading(t, e).IOPSBalance
		rate(120)
		base := rate(80)
		if err := e.Refill(t.Context()); err != nil {
			t.Fatal(err)
		}
		again := rate(360)
		if burst > 2100 || again > 2100 {
			t.Errorf("%.0f and %.0f a second in bursts, more than 2000", burst, again)
		}
		if burst < 800 || again < 800 || emptied > 0.6 || base > 210 || base < 100 {
			return fmt.Errorf("%.0f and %.0f a second in bursts instead of 2000, the bucket still %.2f full; %.0f instead of 200 in between",
				burst, again, emptied, base)
		}
		return nil
	})
}

// TestProof proves a model, and finds out another one.
func TestProof(t *testing.T) {
	e, file := calibrated(t)
	slow := device.Device{Name: "slow", Read: device.Latency{Median: unit.Duration(time.Millisecond), P99: unit.Duration(2 * time.Millisecond)},
		Write: device.Latency{Median: unit.Duration(1500 * time.Microsecond)}, Flush: device.Latency{Median: unit.Duration(time.Millisecond)}, WriteCache: true}
	prove := func(acts device.Device) Proof {
		become(t, e, acts)
		p, err := Prove(t.Context(), file, file, slow, e)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	tryAgain(t, e, file, func() error {
		p := prove(slow)
		t.Logf("%+v", p)
		if p.ExpectedRead < 950*time.Microsecond || p.ExpectedRead > 1050*time.Microsecond || p.ExpectedWrite != 2500*time.Microsecond || p.Operations < leastProof {
			t.Errorf("it expects a read of %v and a write of %v, of %d", p.ExpectedRead, p.ExpectedWrite, p.Operations)
		}
		return p.Holds()
	})
	tryAgain(t, e, file, func() error {
		if wrong := prove(device.Device{}); wrong.Holds() == nil {
			return fmt.Errorf("a pass-through was taken for a device of 1 ms: %+v", wrong)
		}
		return nil
	})
}

// TestProofOfALimitedDevice proves the latency of a device whose limit allows fewer
// operations than that, finds it out when it is wrong, and leaves the limit as it
// was, its bucket full.
func TestProofOfALimitedDevice(t *testing.T) {
	e, file := calibrated(t)
	d := constant(2 * time.Millisecond)
	d.IOPS = device.Limit{Rate: 50, BurstRate: 400, Burst: 40} // one in 20 ms
	prove := func(acts device.Device) Proof {
		become(t, e, acts)
		p, err := Prove(t.Context(), file, file, d, e)
		if err != nil {
			t.Fatal(err)
		}
		if p.ExpectedRead != 2*time.Millisecond || p.ExpectedWrite != 2*time.Millisecond {
			t.Errorf("it expects %v and %v", p.ExpectedRead, p.ExpectedWrite)
		}
		return p
	}
	tryAgain(t, e, file, func() error { return prove(d).Holds() })
	other := device.Device{Name: "other", IOPS: d.IOPS, Read: d.Read.Scaled(3), Write: d.Write.Scaled(3)}
	if p := prove(other); p.Holds() == nil { // nothing makes it faster
		t.Errorf("6 ms was taken for 2 ms: %+v", p)
	}
	become(t, e, d)
	timed(t, 1, 30, operations(t, file, false))
	if _, err := Prove(t.Context(), file, file, d, e); err != nil {
		t.Fatal(err)
	}
	if r := reading(t, e); r.IOPSBalance != 1 {
		t.Errorf("after the proof its bucket is %v full", r.IOPSBalance)
	}
	given, cancel := context.WithCancel(t.Context())
	err := withoutLimits(given, []*Emulator{e}, func() error {
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
