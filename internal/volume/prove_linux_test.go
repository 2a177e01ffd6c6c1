package volume

import (
	"testing"
	"time"

	"plinth/internal/journal/journaltest"
)

// TestAProofCorrects: what is taken off each delay is corrected where a proof holds,
// and is not near. It is made wrong to both sides in turns: whatever this machine adds
// just now, one of them is far from the model.
func TestAProofCorrects(t *testing.T) {
	v, _, _ := makeEmulated(t, journaltest.Open(t, Undoers()), "ext4")
	d := v.disks[0]
	fitted := d.fitted
	const wrong = 60 * time.Microsecond // of 100 that a proof of 2 ms allows
	for try := range 4 {
		d.fitted.Read = max(fitted.Read, wrong) + wrong
		if try%2 == 1 {
			d.fitted.Read -= 2 * wrong
		}
		was := d.fitted.Read
		if err := d.emulator.Calibrate(t.Context(), d.fitted); err != nil {
			t.Fatal(err)
		}
		p, err := v.Prove(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v was taken off, %v is now; a read took %v of %v", was, d.fitted.Read, time.Duration(p.MeasuredRead), time.Duration(p.ExpectedRead))
		if (d.fitted.Read - was).Abs() > wrong/4 {
			return
		}
	}
	t.Error("nothing was corrected")
}
