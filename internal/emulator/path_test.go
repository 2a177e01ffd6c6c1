package emulator

import (
	"testing"
	"time"
)

// TestBeyond holds what Fit takes off each delay.
func TestBeyond(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct{ took, want Path }{
		{Path{Read: 1080 * us, Write: 2100 * us}, Path{Read: 80 * us, Write: 100 * us}},
		{Path{Read: 990 * us, Write: 2000 * us}, Path{}}, // measured a little too short
	} {
		if got := c.took.beyond(1000*us, 2000*us); got != c.want {
			t.Errorf("%+v of 1 and 2 ms: %+v, want %+v", c.took, got, c.want)
		}
	}
}
