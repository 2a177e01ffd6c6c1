package prose_test

import (
	"testing"

	"plinth/internal/prose"
)

func TestHanging(t *testing.T) {
	for width, want := range map[int]string{
		80: "  12  one-disk, two-disks, memory\n",
		24: "  12  one-disk,\n      two-disks, memory\n",
		4:  "  12  one-disk,\n      two-disks,\n      memory\n", // a word is never cut
	} {
		if got := prose.Hanging("  12  ", "one-disk, two-disks,\x1b memory", width); got != want {
			t.Errorf("at %d: %q, want %q", width, got, want)
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
		if got := prose.Paragraph(c.text).Text(c.width); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
