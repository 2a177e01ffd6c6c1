package capture

import "testing"

func TestDisorder(t *testing.T) {
	points := []Percentile{{50, 1e6}, {99, 3e6}}
	for _, test := range []struct {
		name      string
		times     Times
		precision Precision
		want      string
	}{
		{"nothing is known", Times{}, Precision{}, ""},
		{"in order", Times{Mean: 1.2e6, Min: 1e5, Max: 4e6, Percentiles: points}, Precision{}, ""},
		{"the maximum is unknown", Times{Mean: 1.2e6, Percentiles: points}, Precision{}, ""},
		{"below the one before", Times{Percentiles: []Percentile{{50, 3e6}, {99.9, 1e6}}}, Precision{}, "p99.9 (1 ms) is below p50 (3 ms)"},
		{"above the maximum", Times{Max: 2_500_000, Percentiles: points}, Precision{}, "p99 (3 ms) is above the maximum (2.5 ms)"},
		{"above the maximum by a step", Times{Max: 2_990_000, Percentiles: points}, Precision{Step: 0.01}, ""},
		{"above the maximum by rounding", Times{Max: 2_500_000, Percentiles: points}, Precision{Round: 5e5}, ""},
		{"the mean", Times{Mean: 5e6, Max: 4e6}, Precision{}, "the mean (5 ms) is above the maximum (4 ms)"},
		{"the minimum", Times{Mean: 1e6, Min: 2e6, Max: 4e6}, Precision{}, "the minimum (2 ms) is above the mean (1 ms)"},
	} {
		if got := test.times.Disorder(test.precision); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"12": 12, "0.5": 0.5, "1000000.25": 1000000.25} {
		if got, ok := Number([]byte(text)); !ok || got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", ".", "1.2.3", "-1", "+1", "1e5", "nan", "inf", "1,5", "1,234", "0x10", "1_0"} {
		if got, ok := Number([]byte(text)); ok {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestWithoutLastNumber(t *testing.T) {
	for text, want := range map[string]string{"avg=1.2, stdev=84.9": "avg=1.2, stdev=", "tps = 12 (x)": "tps = 12 (x)", "12": "", "": "", "1,": ""} {
		if got := string(WithoutLastNumber([]byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMilliseconds(t *testing.T) {
	for ns, want := range map[float64]string{1.2e6: "1.2 ms", 31_065_000: "31.07 ms", 500: "0.0005 ms", 9868.8e9: "9869000 ms"} {
		if got := Milliseconds(ns); got != want {
			t.Errorf("%v: %s, want %s", ns, got, want)
		}
	}
}
