package prose_test

import (
	"strings"
	"testing"

	"plinth/internal/prose"
)

func TestHanging(t *testing.T) {
	for width, want := range map[int]string{
		80: "  12  one-disk, two-disks, memory\n",
		24: "  12  one-disk,\n      two-disks, memory\n",
		4:  "  12  one-disk,\n      two-disks,\n      memory\n", // a word is never cut
	} {
		if got := prose.Hanging("  12  ", "one-disk, two-disks,\u200b memory", width); got != want {
			t.Errorf("at %d: %q, want %q", width, got, want)
		}
	}
}

// TestClean checks that control characters are visible and inert.
func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[2J a\x07\x00\x7f":             "␛[2J a␇␀␡",
		"two\r\nlines\tand  blanks":         "two lines and blanks",
		"C1 \u009b2J, not UTF-8 \xff":       "C1 \uFFFD2J, not UTF-8 \uFFFD",
		"right \u202eot tfel, soft\u00adly": "right \uFFFDot tfel, softly",
	} {
		if got := prose.Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestCSVIsNoFormula checks that a spreadsheet evaluates no cell, and that numbers stay numbers.
func TestCSVIsNoFormula(t *testing.T) {
	table := prose.Table{Columns: []prose.Column{{Title: "@title"}}}
	for cell, want := range map[string]string{
		"=1+1": "'=1+1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-1+1": "'-1+1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'=1",
		"-12.5": "-12.5", "+38 %": "+38 %", "-1.5e-07": "-1.5e-07", "-2,048 MiB/s": "-2,048 MiB/s", "-": "-", "plain": "plain", "": "",
	} {
		table.Rows = [][]string{{cell, "x"}}
		got, err := table.CSV()
		if _, row, _ := strings.Cut(got, "\n"); err != nil || !strings.HasPrefix(got, "'@title\n") || strings.Trim(strings.TrimSuffix(row, ",x\n"), `"`) != want {
			t.Errorf("%q: %q, %v; want %q", cell, got, err, want)
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

// TestPageBlocksAsText checks what remains in text of blocks that are made for the page.
func TestPageBlocksAsText(t *testing.T) {
	body := prose.Document{prose.Paragraph("the body")}
	for _, c := range []struct {
		block prose.Block
		want  string
	}{
		{prose.Picture{}, ""},
		{prose.Choices{}, ""},
		{prose.Chosen{Body: body}, ""},
		{prose.Chosen{Shown: true, Body: body}, "the body\n"},
		{prose.Folded{Title: "More", Body: body}, "More\n====\n\nthe body\n"},
		{prose.Code("a\n  b\n"), "a\n  b\n"},
		{prose.Columns{prose.Paragraph("left"), prose.Paragraph("right")}, "left\n\nright\n"},
	} {
		if got := c.block.Text(80); got != c.want {
			t.Errorf("%T: got %q, want %q", c.block, got, c.want)
		}
	}
}
