package page

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumber(t *testing.T) {
	for want, n := range map[string]float64{
		"0": 0, "5": 5, "-17": -17, "9999": 9999, "10000": 10_000, "1235": 1234.6, "0.1235": 0.123456, "12350": 12_345.6,
		"10000000": 9_999_999, "1e-09": 1e-9, "1.235e+15": 1.23456e15, "null": math.NaN(), "0.00001235": 0.0000123456,
	} {
		if got, err := Number(n).MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%g is %s, want %s; %v", n, got, want, err)
		}
	}
	if got, _ := Number(math.Inf(-1)).MarshalJSON(); string(got) != "null" {
		t.Errorf("infinite is %s", got)
	}
}

// Whatever a number is, its JSON is one of four digits that is next to it.
func TestNumberIsRounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.OneOf(rapid.Float64Range(-1e300, 1e300), rapid.Float64Range(-20_000, 20_000), rapid.Float64Range(-1e-3, 1e-3)).Draw(t, "f")
		data, err := json.Marshal(Number(f))
		if err != nil {
			t.Fatal(err)
		}
		back, err := strconv.ParseFloat(string(data), 64)
		if err != nil || math.Abs(back-f) > 0.0005001*math.Abs(f) && math.Abs(f) > math.SmallestNonzeroFloat64*1e4 {
			t.Fatalf("%g is %s", f, data)
		}
		mantissa, _, _ := strings.Cut(string(data), "e")
		if significant := strings.Trim(strings.NewReplacer(".", "", "-", "").Replace(mantissa), "0"); len(significant) > 4 {
			t.Fatalf("%g is %s: %d digits", f, data, len(significant))
		}
	})
}
