package fio

import (
	"slices"
	"strings"
	"testing"
)

func TestReadSecondsOfTwoThreads(t *testing.T) {
	seconds, err := ReadSeconds("testdata/sustained")
	want := []float64{(2327072 + 2372848) * 1024, (6259520 + 6714664) * 1024}
	if err != nil || !slices.Equal(seconds, want) {
		t.Errorf("got %f, %v; want %f", seconds, err, want)
	}
}

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string][]float64{
		"":                                        nil,
		"1000, 1, 0, 0, 0\n2001, 2, 0, 0, 0\n":    {1024, 2048},
		"999, 1, 0, 0, 0\n1998, 2, 0, 0, 0\n":     {1024, 2048},
		"1145, 1, 0, 0, 0\n2145, 2, 0, 0, 0\n":    {1024, 2048},
		"1000, 1, 0, 0\n3000, 3, 0, 0\n":          {1024, 0, 3072}, // a second without any
		"1000, 1, 0, 0\n1000, 2, 1, 0\n":          {3072},          // reads and writes
		"1000, 1, 0, 0, 0\n1210, 9000, 0, 0, 0\n": {9001 * 1024},
		"200, 5, 0, 0, 0\n":                       nil,
	} {
		got, err := parseSeconds([]byte(text))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "1, 2", "x, 1, 0", "1000, -1, 0", "99999999999, 1, 0", "\n"} {
		if got, err := parseSeconds([]byte(text)); err == nil || !strings.Contains(err.Error(), "fio's log") {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	if _, err := ReadSeconds("testdata/nothing"); err == nil {
		t.Error("a log that is not there was read")
	}
}

func FuzzSeconds(f *testing.F) {
	f.Add(read(f, "testdata/sustained_bw.log"))
	f.Fuzz(func(t *testing.T, text []byte) {
		seconds, err := parseSeconds(text)
		if err == nil && len(seconds) > mostSeconds+1 {
			t.Errorf("%d seconds", len(seconds))
		}
		for _, s := range seconds {
			if s < 0 {
				t.Errorf("%f bytes in a second", s)
			}
		}
	})
}
