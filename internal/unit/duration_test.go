package unit

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"60s": time.Minute, "0s": 0, "1.8ms": 1800 * time.Microsecond, "1m30s": 90 * time.Second,
		"5us": 5 * time.Microsecond, "5µs": 5 * time.Microsecond, "2h": 2 * time.Hour, "7ns": 7,
	} {
		if got, err := ParseDuration(text); err != nil || got.Std() != want {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
}

func TestParseDurationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"60":                 `"60" has no unit: write 60s or 60ms`,
		"0":                  `"0" has no unit: write 0s or 0ms`,
		"1.5e3":              `"1.5e3" has no unit: write 1.5e3s or 1.5e3ms`,
		"-1s":                `"-1s" is negative`,
		"":                   `"" is not a duration such as 60s, 1.8ms or 5m`,
		"e":                  `"e" is not a duration such as 60s, 1.8ms or 5m`,
		"inf":                `"inf" is not a duration such as 60s, 1.8ms or 5m`,
		"1 day":              `"1 day" is not a duration such as 60s, 1.8ms or 5m`,
		"60 s":               `"60 s" is not a duration such as 60s, 1.8ms or 5m`,
		"99999999999999999h": `"99999999999999999h" is not a duration such as 60s, 1.8ms or 5m`,
	} {
		if got, err := ParseDuration(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestDurationString(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "60s", 90 * time.Second: "90s", 2 * time.Minute: "120s",
		3 * time.Minute: "3m", 150 * time.Second: "2m30s", time.Hour: "1h", 90 * time.Minute: "1h30m",
		time.Hour + time.Second: "1h0m1s", 20 * time.Hour: "20h", 1800 * time.Microsecond: "1.8ms", 5 * time.Microsecond: "5us",
	} {
		if got := Duration(d).String(); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestDurationReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Duration(rapid.Int64Min(0).Draw(t, "nanoseconds"))
		back, err := ParseDuration(d.String())
		if err != nil || back != d {
			t.Fatalf("%d is printed as %s, read as %d, %v", d, d, back, err)
		}
	})
}

func TestDurationInJSON(t *testing.T) {
	text, err := json.Marshal(map[string]Duration{"d": Duration(90 * time.Second)})
	if err != nil || string(text) != `{"d":"90s"}` {
		t.Errorf("%s, %v", text, err)
	}
	var back map[string]Duration
	if err := json.Unmarshal(text, &back); err != nil || back["d"].Seconds() != 90 {
		t.Errorf("%v, %v", back, err)
	}
	if json.Unmarshal([]byte(`{"d":"90"}`), &back) == nil {
		t.Error("a number without a unit is read")
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"60s", "1.8ms", "60", "-1s", "", "1h1m1s1ms1us1ns", "inf"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		if err != nil {
			return
		}
		if back, err := ParseDuration(d.String()); err != nil || back != d || d < 0 {
			t.Fatalf("%q is %s, read as %d, %v", text, d, back, err)
		}
	})
}
