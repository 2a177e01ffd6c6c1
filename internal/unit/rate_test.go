package unit

import (
	"testing"

	"pgregory.net/rapid"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]Rate{
		"125MiB/s": 125 << 20, "1GB/s": 1e9, "0B/s": 0, "1.5KiB/s": 1536, "250 MiB/s": 250 << 20, "520MB /s": 520e6,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v", text, float64(got), err)
		}
	}
}

func TestParseRateRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"125":       `"125" has no unit: write 125MiB/s`,
		"1e3":       `"1e3" has no unit: write 1e3MiB/s`,
		"125MiB":    `"125MiB" is not a rate such as 125MiB/s`,
		"125MiB/h":  `"125MiB/h" is not a rate such as 125MiB/s`,
		"MiB/s":     `"MiB/s" is not a rate such as 125MiB/s`,
		"125/s":     `"125/s" is not a rate such as 125MiB/s`,
		"-1MiB/s":   `"-1MiB/s" is negative`,
		"9e9TiB/s":  `"9e9TiB/s" is too large`,
		"1MiB/s/s":  `"1MiB/s/s" is not a rate such as 125MiB/s`,
		"":          `"" is not a rate such as 125MiB/s`,
		"/s":        `"/s" is not a rate such as 125MiB/s`,
		"125Mbit/s": `"125Mbit/s" is not a rate such as 125MiB/s`,
	} {
		if got, err := ParseRate(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, %v, want %s", text, float64(got), err, want)
		}
	}
}

func TestRateString(t *testing.T) {
	for rate, want := range map[Rate]string{
		0: "0B/s", 1536: "1.5KiB/s", 125 << 20: "125MiB/s", 520e6: "495.9MiB/s", 4000 << 20: "3.9GiB/s",
	} {
		if got := rate.String(); got != want {
			t.Errorf("%v: got %s, want %s", float64(rate), got, want)
		}
	}
}

// TestRateReadsBack: what is marshalled is exact, but for fractions of a byte.
func TestRateReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := Rate(rapid.Float64Range(0, 1e15).Draw(t, "rate"))
		text, err := rate.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Rate
		if err := back.UnmarshalText(text); err != nil || rate-back < 0 || rate-back >= 1 {
			t.Fatalf("%v is written as %s, read as %v, %v", float64(rate), text, float64(back), err)
		}
	})
}

func FuzzParseRate(f *testing.F) {
	for _, text := range []string{"125MiB/s", "1", "-1B/s", "", "infB/s", "0x1p3MiB/s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if rate, err := ParseRate(text); err == nil && (rate < 0 || rate != rate) {
			t.Fatalf("%q is %v", text, float64(rate))
		}
	})
}
