package watch

import (
	"testing"
)

func TestParseSwapped(t *testing.T) {
	for text, want := range map[string]swapped{
		"pswpin 3\npswpout 70\n":                         {3, 70},
		"nr_free 1\npswpout 5\nxpswpin 9\npswpin 0\nz 1": {0, 5},
	} {
		if got, err := parseSwapped([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "pswpin 3\n", "pswpin x\npswpout 1\n", "pswpin -1\npswpout 1\n", "pswpin\npswpout\n",
		"pswpin 99999999999999999999\npswpout 1\n"} {
		if got, err := parseSwapped([]byte(text)); err == nil {
			t.Errorf("%q: %v without an error", text, got)
		}
	}
}

func TestParseCPUStat(t *testing.T) {
	for _, c := range []struct {
		text    string
		version int
		want    float64
	}{
		{"usage_usec 1\nnr_throttled 2\nthrottled_usec 1500000\n", 2, 1.5},
		{"nr_periods 11\nthrottled_time 813971568\n", 1, 0.813971568},
		{"usage_usec 1\n", 2, 0},
		{"throttled_time 813971568\n", 2, 0}, // a name of the other version
		{"", 1, 0},
	} {
		if got := parseCPUStat([]byte(c.text), c.version); got != c.want {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}

// What a fuzzer finds must be a figure that can be, or an error; and never a panic.
func FuzzCounters(f *testing.F) {
	for _, text := range []string{"pswpin 3\npswpout 70\n", "nr_throttled 2\nthrottled_usec 1500000\n",
		"throttled_time 813971568\n", "throttled_usec 18446744073709551615\n", "307262546 46937771 302\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseSwapped([]byte(text)); err == nil && (s.in < 0 || s.out < 0) {
			t.Errorf("%+v", s)
		}
		for version := 1; version <= 2; version++ {
			if s := parseCPUStat([]byte(text), version); s < 0 {
				t.Errorf("%v", s)
			}
		}
	})
}
