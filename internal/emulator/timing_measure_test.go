//go:build linux && measure

package emulator

import (
	"fmt"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/host/hosttest"
	"plinth/internal/measuretest"
	"plinth/internal/unit"
)

// calibrated returns an emulator calibrated for the path to its file. It uses no loop device:
// that has kernel threads, which wait for a CPU like any other, and hosttest.ComeFirst does not
// apply to them. The tests of package volume measure what it adds.
func calibrated(t testing.TB, d device.Device) (*Emulator, string) {
	t.Helper()
	hosttest.ComeFirst(t)
	e := begin(t, device.Device{})
	fit(t, e, d)
	become(t, e, d)
	return e, e.Image()
}

// fit calibrates e for the delays of d.
func fit(t testing.TB, e *Emulator, d device.Device) {
	t.Helper()
	fitted, err := e.Fit(t.Context(), e.Image(), testSize, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("fitted: read %v, write %v", fitted.Read, fitted.Write)
}

// inTurns alternates operations with sleeps of the same length d: what the machine adds to both
// is not the emulator's.
func inTurns(t testing.TB, d time.Duration, depth int, do func([]byte, int) error) (operation, beside time.Duration) {
	t.Helper()
	var took, slept []time.Duration
	for range 3 {
		each := max(5, int(25*time.Millisecond/d))
		took = append(took, timed(t, depth, each, do)...)
		slept = append(slept, timed(t, depth, each, sleeps(d))...)
	}
	return median(took), median(slept)
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// TestMeasureDelay compares operations with sleeps of the same length.
func TestMeasureDelay(t *testing.T) {
	for _, c := range []struct {
		d     time.Duration
		depth int
		// share is the permitted relative error; 0 where two CPUs cannot do as many operations
		// per second.
		share float64
	}{
		{1800 * time.Microsecond, 1, 0.05}, {1800 * time.Microsecond, 16, 0.15},
		{500 * time.Microsecond, 1, 0.1}, {500 * time.Microsecond, 16, 0},
		{200 * time.Microsecond, 1, 0.25}, {200 * time.Microsecond, 16, 0},
	} {
		t.Run(fmt.Sprintf("%v at depth %d", c.d, c.depth), func(t *testing.T) {
			measuretest.Ask(t, "How far is the median latency of an operation from the model, beyond the error of a plain sleep?", func(m *measuretest.M) {
				e, path := calibrated(m, constant(c.d))
				for _, write := range []bool{false, true} {
					kind := map[bool]string{false: "read", true: "write"}[write]
					before := reading(m, e)
					operation, beside := inTurns(m, c.d, c.depth, operations(m, path, write))
					late := Late(before, reading(m, e))
					off := (operation - c.d).Abs() - (beside - c.d).Abs()
					if c.share > 0 {
						m.AtMost(kind+", error beyond that of a sleep", micros(off), "µs", micros(max(time.Duration(c.share*float64(c.d)), 30*time.Microsecond)))
					} else {
						m.Value(kind+", error beyond that of a sleep", micros(off), "µs")
					}
					m.Value(kind+", mean lateness", micros(late.Mean), "µs")
					m.Value(kind+", 99th percentile of lateness", micros(late.P99), "µs")
				}
			})
		})
	}
}

// TestMeasureLimits requests as much as each limit allows.
func TestMeasureLimits(t *testing.T) {
	measuretest.Ask(t, "What share of its limits does a saturated device reach?", func(m *measuretest.M) {
		e, path := calibrated(m, constant(time.Millisecond))
		do := operations(m, path, false)
		for _, c := range []struct {
			d    device.Device
			want float64 // operations of 8 KiB per second
		}{
			{device.Device{Name: "iops", IOPS: device.Limit{Rate: 1000}}, 1000},
			{device.Device{Name: "throughput", Throughput: device.FlowLimit{Rate: unit.Rate(4 * unit.MiB)}}, 512},
		} {
			become(m, e, c.d)
			const depth, each = 8, 50
			begin := time.Now()
			timed(m, depth, each, do)
			// The first one does not wait.
			rate := (depth*each - 1) / time.Since(begin).Seconds()
			m.Between(c.d.Name, rate/c.want, "", 0.95, 1.02)
		}
	})
}

// TestMeasureBurst empties a bucket: fast at first, then at the refill rate; a refill makes it
// fast again.
func TestMeasureBurst(t *testing.T) {
	measuretest.Ask(t, "How many operations per second does a device with a limit of 200 and bursts of 2000 perform?", func(m *measuretest.M) {
		e, path := calibrated(m, device.Device{Name: "burst", IOPS: device.Limit{Rate: 200, BurstRate: 2000, Burst: 400}})
		do := operations(m, path, false)
		rate := func(count int) float64 {
			begin := time.Now()
			timed(m, 4, count/4, do)
			return float64(count) / time.Since(begin).Seconds()
		}
		m.Between("with a full bucket", rate(360), "/s", 800, 2100) // a full bucket lasts for 444
		m.AtMost("fill level of the bucket after the burst", reading(m, e).IOPSBalance, "", 0.6)
		rate(120)
		m.Between("with an empty bucket", rate(80), "/s", 100, 210)
		if err := e.Refill(m.Context()); err != nil {
			m.Fatal(err)
		}
		m.Between("after a refill", rate(360), "/s", 800, 2100)
	})
}

// TestMeasureProof verifies models and detects a pass-through.
func TestMeasureProof(t *testing.T) {
	const ms = unit.Duration(time.Millisecond)
	slow := device.Device{Name: "slow", Read: device.Latency{Median: ms, P99: 2 * ms}, Write: device.Latency{Median: 3 * ms / 2},
		Flush: device.Latency{Median: ms}, WriteCache: true}
	limited := constant(2 * time.Millisecond)
	limited.IOPS = device.Limit{Rate: 50, BurstRate: 400, Burst: 40} // one per 20 ms
	for _, d := range []device.Device{slow, limited} {
		t.Run(d.Name, func(t *testing.T) {
			measuretest.Ask(t, "How large is an emulated device's error during verification, relative to the tolerance?", func(m *measuretest.M) {
				e, path := calibrated(m, d)
				p, err := Calibrate(m.Context(), path, path, d, e)
				if err != nil {
					m.Fatal(err)
				}
				off := func(measured, expected, bound time.Duration) float64 {
					return float64((measured - expected).Abs()) / float64(bound)
				}
				m.AtMost("read", off(p.MeasuredRead, p.ExpectedRead, p.BoundRead), "", 1)
				m.AtMost("write", off(p.MeasuredWrite, p.ExpectedWrite, p.BoundWrite), "", 1)
				become(m, e, device.Device{})
				if p, err = Calibrate(m.Context(), path, path, d, e); err != nil {
					m.Fatal(err)
				}
				m.AtLeast("read, with a pass-through device", off(p.MeasuredRead, p.ExpectedRead, p.BoundRead), "", 1)
			})
		})
	}
}
