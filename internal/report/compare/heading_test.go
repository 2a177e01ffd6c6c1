package compare_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

// TestHeadingsFit checks that headings with two long names fit, as with several pairs.
func TestHeadingsFit(t *testing.T) {
	long := longNames()
	third := with(long.Verdicts[0], func(v *record.Verdict) { v.Other = "a-third-environment" })
	c := Report(long.Verdicts[0], third)
	text := reporttest.Compared(t, c, "text", summary.Options{Width: 60})
	if !strings.Contains(text, "replicated-block-storage-in-three-zones-with-ext4 against\nlocal-nvme-with-xfs-and-noatime-on-raid10\n"+strings.Repeat("=", 57)+"\n") {
		t.Errorf("the heading is not broken:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if len(line) > 61 {
			t.Errorf("too wide: %s", line)
		}
	}
}
