package unit

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0B": 0, "512B": 512, "1KiB": 1024, "1kB": 1000, "128MiB": 128 * MiB, "1.5GiB": 1536 * MiB, "8 GiB": 8 * GiB,
		"2TB": 2e12, "1GB": 1e9, "1MB": 1e6, "1TiB": TiB,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v", text, got, err)
		}
	}
}

func TestParseSizeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"8":          `"8" has no unit: write 8MiB or 8GiB`,
		"-1GiB":      `"-1GiB" is negative`,
		"GiB":        `"GiB" is not a size such as 8GiB or 128MiB`,
		"":           `"" is not a size such as 8GiB or 128MiB`,
		"8gib":       `"8gib" is not a size such as 8GiB or 128MiB`,
		"8G":         `"8G" is not a size such as 8GiB or 128MiB`,
		"NaNGiB":     `"NaNGiB" is not a size such as 8GiB or 128MiB`,
		"infB":       `"infB" is too large`,
		"9000000TiB": `"9000000TiB" is too large`,
	} {
		if got, err := ParseSize(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %d, %v, want %s", text, got, err, want)
		}
	}
}

func TestSizeString(t *testing.T) {
	for size, want := range map[Size]string{
		0: "0B", 1023: "1023B", KiB: "1KiB", 1536: "1.5KiB", 128 * MiB: "128MiB", 1900 * MiB: "1.9GiB", 3 * TiB: "3TiB", -5: "-5B",
	} {
		if got := size.String(); got != want {
			t.Errorf("%d: got %s, want %s", size, got, want)
		}
	}
}

// What is printed has at most one decimal, so it is within 5 % of what it was.
func TestSizeReadsBackNearly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := Size(rapid.Int64Range(0, 1<<60).Draw(t, "bytes"))
		back, err := ParseSize(size.String())
		if err != nil || math.Abs(float64(back-size)) > 0.05*float64(size)+0.5 {
			t.Fatalf("%d is printed as %s, read as %d, %v", size, size, back, err)
		}
	})
}

func FuzzParseSize(f *testing.F) {
	for _, text := range []string{"8GiB", "1.5kB", "8", "-1B", "", "infB", "0x1p3MiB"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if size, err := ParseSize(text); err == nil && size < 0 {
			t.Fatalf("%q is %d bytes", text, size)
		}
	})
}
