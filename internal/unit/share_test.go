package unit

import "testing"

func TestShare(t *testing.T) {
	for _, c := range []struct {
		text, back string
		want       Share
	}{
		{"3%", "3%", 0.03}, {"0.5 %", "0.5%", 0.005}, {"0%", "0%", 0}, {"100%", "100%", 1}, {"29%", "29%", 0.29}, {"2.50%", "2.5%", 0.025},
	} {
		got, err := ParseShare(c.text)
		if err != nil || got != c.want || got.String() != c.back {
			t.Errorf("ParseShare(%q) = %v (%s), %v, want %v (%s)", c.text, float64(got), got, err, float64(c.want), c.back)
		}
	}
}

func TestShareRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"3":    `"3" has no unit: write 3%`,
		"-1%":  `"-1%" is negative`,
		"101%": `"101%" is more than 100%`,
		"NaN%": `"NaN%" is not a share such as 3%`,
		"":     `"" is not a share such as 3%`,
		"%":    `"%" is not a share such as 3%`,
		"3ms":  `"3ms" is not a share such as 3%`,
	} {
		if _, err := ParseShare(text); err == nil || err.Error() != want {
			t.Errorf("ParseShare(%q): %v, want %s", text, err, want)
		}
	}
}
