package volume

import (
	"testing"
	"time"

	"plinth/internal/emulator"
	"plinth/internal/journal/journaltest"
)

// TestAProofCorrects checks that the result of a verification corrects what the emulator
// subtracts from each delay.
func TestAProofCorrects(t *testing.T) {
	withoutMeasuring(t)
	v, _, _ := makeEmulated(t, journaltest.Open(t, Undoers()), "ext4")
	const us = time.Microsecond
	for _, c := range []struct {
		read, write time.Duration // as measured
		want        emulator.Path // subtracted afterwards
	}{
		{2080 * us, 16000 * us, emulator.Path{Read: 20 * us}},
		{2080 * us, 16400 * us, emulator.Path{Read: 40 * us, Write: 100 * us}},
		{1980 * us, 15900 * us, emulator.Path{Read: 25 * us, Write: 25 * us}},
	} {
		p := emulator.Calibration{ExpectedRead: 2000 * us, MeasuredRead: c.read, ExpectedWrite: 16000 * us, MeasuredWrite: c.write}
		if err := v.correct(t.Context(), p); err != nil || v.disks[0].fitted != c.want {
			t.Errorf("reads took %v, writes %v: %+v is taken off, want %+v; %v", c.read, c.write, v.disks[0].fitted, c.want, err)
		}
	}
}
