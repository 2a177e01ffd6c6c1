package report_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report"
)

func TestHanging(t *testing.T) {
	for width, want := range map[int]string{
		80: "  12  one-disk, two-disks, memory\n",
		24: "  12  one-disk,\n      two-disks, memory\n",
		4:  "  12  one-disk,\n      two-disks,\n      memory\n", // a word is never cut
	} {
		if got := report.Hanging("  12  ", "one-disk, two-disks,\x1b memory", width); got != want {
			t.Errorf("at %d: %q, want %q", width, got, want)
		}
	}
}

// TestHeadingsFit: two long names stand in a heading where there are several pairs.
func TestHeadingsFit(t *testing.T) {
	long := longNames()
	third := with(long.Verdicts[0], func(v *record.Verdict) { v.Other = "a-third-environment" })
	c := comparison(long.Verdicts[0], third)
	text := compare(t, c, "text", report.Options{Width: 60})
	if !strings.Contains(text, "replicated-block-storage-in-three-zones-with-ext4 against\nlocal-nvme-with-xfs-and-noatime-on-raid10\n"+strings.Repeat("=", 57)+"\n") {
		t.Errorf("the heading is not broken:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if len(line) > 61 {
			t.Errorf("too wide: %s", line)
		}
	}
}

// TestPerCentStaysWithItsNumber, but a text of nothing else is broken all the same.
func TestPerCentStaysWithItsNumber(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"it is 97.5 % of it", 10, "it is\n97.5 % of\nit\n"},
		{"a % % % % %", 5, "a %\n% %\n% %\n"},
	} {
		if got := report.Paragraph(c.text, c.width); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
