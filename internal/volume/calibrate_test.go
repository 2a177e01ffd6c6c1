package volume

import (
	"errors"
	"testing"
	"time"

	"plinth/internal/emulator"
)

// TestCorrected checks that excess time is corrected only slightly, and that time missing is
// mostly given back.
func TestCorrected(t *testing.T) {
	for _, c := range []struct{ cost, off, expected, want time.Duration }{
		{80, -40, 1000, 50}, {80, 40, 1000, 90}, {80, 0, 1000, 80}, {80, 400, 0, 80},
		{80, -400, 1000, 0}, {380, 400, 2000, 400},
	} {
		const us = time.Microsecond
		if got := corrected(c.cost*us, c.off*us, c.expected*us); got != c.want*us {
			t.Errorf("%d us taken off, %d too long of %d: now %v, want %d us", c.cost, c.off, c.expected, got, c.want)
		}
	}
}

// TestLastProof checks the number of attempts: one if it is near, three if it holds, and six if
// it does not.
func TestLastProof(t *testing.T) {
	const bound = 90 * time.Microsecond
	errBroken := errors.New("it broke")
	for _, c := range []struct {
		name   string
		off    []time.Duration // of each attempt, in microseconds; the last one repeats
		fails  bool            // the first correction fails
		proofs int
		err    error
	}{
		{"near at once", []time.Duration{30}, false, 1, nil},
		{"near after a correction", []time.Duration{-200, 10}, false, 2, nil},
		{"holds", []time.Duration{80}, false, 3, nil},
		{"holds at last", []time.Duration{500, 400, 300, 200, 80}, false, 5, nil},
		{"never holds", []time.Duration{500}, false, 6, nil},
		{"cannot be corrected", []time.Duration{500}, true, 1, errBroken},
	} {
		done, corrections := 0, 0
		p, err := lastCalibration(func() (emulator.Calibration, error) {
			off := c.off[min(done, len(c.off)-1)] * time.Microsecond
			done++
			return emulator.Calibration{ExpectedRead: time.Millisecond, MeasuredRead: time.Millisecond + off, BoundRead: bound}, nil
		}, func(emulator.Calibration) error {
			if corrections++; c.fails {
				return errBroken
			}
			return nil
		})
		last := p.MeasuredRead - p.ExpectedRead
		if done != c.proofs || !errors.Is(err, c.err) || last != c.off[min(done, len(c.off))-1]*time.Microsecond {
			t.Errorf("%s: %d proofs, want %d; the last one was off by %v, %v", c.name, done, c.proofs, last, err)
		}
		if want := c.proofs - 1; !c.fails && corrections != want {
			t.Errorf("%s: %d corrections, want %d", c.name, corrections, want)
		}
	}
	if _, err := lastCalibration(func() (emulator.Calibration, error) { return emulator.Calibration{}, errBroken }, nil); !errors.Is(err, errBroken) {
		t.Errorf("a proof that fails: %v", err)
	}
}
