package measuretest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAsk measures three times, and checks that the median decides, not a single value out of
// bounds.
func TestAsk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers")
	t.Setenv(File, file)
	values := []float64{90, 250, 70}
	next := 0
	AskTimes(t, len(values), "How late is it?", func(m *M) {
		m.AtMost("lateness", values[next], "µs", 100)
		m.Value("rate", 12345, "/s")
		next++
	})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var answer Answer
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Package != "internal/measuretest" || answer.Test != "TestAsk" || len(answer.Figures) != 2 {
		t.Fatalf("%+v", answer)
	}
	said := []string{answer.Figures[0].String(), answer.Figures[1].String()}
	want := []string{"lateness: 90 µs (70 to 250, n=3), want at most 100 µs", "rate: 12345 /s (12345 to 12345, n=3)"}
	if !slices.Equal(said, want) {
		t.Errorf("got\n%q\nwant\n%q", said, want)
	}
}

// TestLost checks that a lost measurement is left out.
func TestLost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers")
	t.Setenv(File, file)
	next := 0
	AskTimes(t, 3, "How late is it?", func(m *M) {
		if next++; next == 2 {
			m.Lost("it was not read")
		}
		m.AtMost("lateness", float64(next), "µs", 10)
	})
	text, err := os.ReadFile(file)
	var answer Answer
	if err := errors.Join(err, json.Unmarshal(text, &answer)); err != nil {
		t.Fatal(err)
	}
	if said, want := answer.Figures[0].String(), "lateness: 2 µs (1 to 3, n=2), want at most 10 µs"; said != want {
		t.Errorf("got %q, want %q", said, want)
	}
}

func TestHeld(t *testing.T) {
	bound := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		name        string
		least, most *float64
		bounds      string
		held        bool
	}{
		{"no bound", nil, nil, "", true},
		{"above the least", bound(9.5), nil, "at least 9.5 ms", true},
		{"below the least", bound(11), nil, "at least 11 ms", false},
		{"below the most", nil, bound(10), "at most 10 ms", true},
		{"above the most", nil, bound(9), "at most 9 ms", false},
		{"between", bound(9), bound(11), "9 to 11 ms", true},
		{"not between", bound(10.5), bound(11), "10.5 to 11 ms", false},
	} {
		f := Figure{Unit: "ms", Median: 10, Least: c.least, Most: c.most}
		if f.Held() != c.held || f.Bounds() != c.bounds {
			t.Errorf("%s: held %v, %q", c.name, f.Held(), f.Bounds())
		}
	}
}
