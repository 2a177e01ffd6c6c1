package emulator

import (
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// TestProofBounds checks Holds and Near on both sides of their bounds.
func TestProofBounds(t *testing.T) {
	const bound = 90 * time.Microsecond
	for _, c := range []struct {
		read, write time.Duration // deviation in µs
		holds, near bool
	}{
		// A pass-through of 20 µs instead of the model, and a device that is far too slow.
		{-980, -1980, false, false}, {5000, 0, false, false},
		{0, 0, true, true}, {30, -30, true, true}, {31, 0, true, false}, {0, -31, true, false},
		{90, -90, true, false}, {-91, 0, false, false}, {0, 91, false, false},
	} {
		p := Calibration{ExpectedRead: time.Millisecond, ExpectedWrite: 2 * time.Millisecond, BoundRead: bound, BoundWrite: bound,
			MeasuredRead: time.Millisecond + c.read*time.Microsecond, MeasuredWrite: 2*time.Millisecond + c.write*time.Microsecond}
		if err := p.Holds(); (err == nil) != c.holds || p.Near() != c.near {
			t.Errorf("off by %d and %d us: holds %v, near %v", c.read, c.write, err, p.Near())
		}
	}
	if p := (Calibration{MeasuredRead: time.Second, MeasuredWrite: time.Second}); p.Holds() != nil || !p.Near() {
		t.Error("a device without delays has something to hold")
	}
}

// TestExpectation checks the expected median and number of operations for several models.
func TestExpectation(t *testing.T) {
	ms := func(median, p99 float64) device.Latency {
		return device.Latency{Median: unit.Duration(median * 1e6), P99: unit.Duration(p99 * 1e6)}
	}
	for _, c := range []struct {
		name           string
		d              device.Device
		kind           device.Kind
		least, most    time.Duration // of the median
		bound          time.Duration // at least
		operations     int
		boundByLatency bool // sampling error adds nothing
	}{
		{"varies", device.Device{Read: ms(1, 2)}, device.Read, 950 * time.Microsecond, 1050 * time.Microsecond, 50 * time.Microsecond, 172, false},
		{"constant", device.Device{Read: ms(2, 0)}, device.Read, 2 * time.Millisecond, 2 * time.Millisecond, 100 * time.Microsecond, 90, true},
		{"with its flush", device.Device{Write: ms(1.5, 0), Flush: ms(1, 0), WriteCache: true}, device.Write, 2500 * time.Microsecond, 2500 * time.Microsecond, 125 * time.Microsecond, 72, true},
		{"fast", device.Device{Read: ms(0.1, 0)}, device.Read, 100 * time.Microsecond, 100 * time.Microsecond, boundTime, mostSamples, true},
		{"slow", device.Device{Read: ms(50, 0)}, device.Read, 50 * time.Millisecond, 50 * time.Millisecond, 2500 * time.Microsecond, leastSamples, true},
		{"pass-through", device.Device{}, device.Read, 0, 0, boundTime, mostSamples, true},
	} {
		e := expect(c.d, c.kind)
		if e.median < c.least || e.median > c.most || e.bound < c.bound || c.boundByLatency != (e.bound == c.bound) || e.n != c.operations {
			t.Errorf("%s: %+v, want a median of %v to %v within %v, of %d operations", c.name, e, c.least, c.most, c.bound, c.operations)
		}
	}
}

// TestBeyond checks what Fit subtracts from each delay.
func TestBeyond(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct{ took, want Path }{
		{Path{Read: 1080 * us, Write: 2100 * us}, Path{Read: 80 * us, Write: 100 * us}},
		{Path{Read: 990 * us, Write: 2000 * us}, Path{}}, // measured slightly too short
	} {
		if got := c.took.beyond(1000*us, 2000*us); got != c.want {
			t.Errorf("%+v of 1 and 2 ms: %+v, want %+v", c.took, got, c.want)
		}
	}
}
