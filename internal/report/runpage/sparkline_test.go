package runpage

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"plinth/internal/report/phrase"
)

func TestSparkline(t *testing.T) {
	gap := math.NaN()
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, ""},
		{[]float64{0, 0, 0}, "▁▁▁"},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, "▂▃▄▅▆▇██"},
		{[]float64{100, 98, 99}, "███"}, // a small variation is not a cliff
		{[]float64{15263, gap, 8500, 0}, "█·▅▁"},
		{[]float64{gap, gap}, "··"},
		{[]float64{math.Inf(1), 3}, "·█"},
		{[]float64{-5, -3}, "▁▁"},
	} {
		if got := sparkline(c.values); got != c.want {
			t.Errorf("sparkline(%v) = %s, want %s", c.values, got, c.want)
		}
	}
}

// TestFoldHidesNoExtreme checks that one second among 3600 stays visible.
func TestFoldHidesNoExtreme(t *testing.T) {
	values := slices.Repeat([]float64{100}, 3600)
	values[1777] = 3
	folded := fold(values, 60, true)
	if len(folded) != 60 || folded[1777/60] != 3 || slices.Min(folded) != 3 {
		t.Errorf("the stall is not in %v", folded)
	}
	values[1777] = 900
	if folded = fold(values, 61, false); len(folded) != 60 || slices.Max(folded) != 900 {
		t.Errorf("the peak is not in %v", folded)
	}
	if folded = fold([]float64{math.NaN(), math.NaN(), 1}, 2, true); phrase.Known(folded[0]) || folded[1] != 1 {
		t.Errorf("a gap became %v", folded)
	}
}

// FuzzSparkline checks that each value has a bar, that gaps and only gaps are drawn as gaps,
// and that the highest value has the highest bar.
func FuzzSparkline(f *testing.F) {
	f.Add([]byte{}, uint8(1))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e308)), uint8(3))
	f.Add(slices.Concat(binary.LittleEndian.AppendUint64(nil, math.Float64bits(5e-324)),
		binary.LittleEndian.AppendUint64(nil, math.Float64bits(-1)), binary.LittleEndian.AppendUint64(nil, 0x7ff8000000000000)), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, of uint8) {
		var values []float64
		for ; len(data) >= 8; data = data[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		line := sparkline(values)
		if utf8.RuneCountInString(line) != len(values) {
			t.Fatalf("%v: %s", values, line)
		}
		for i, r := range []rune(line) {
			if phrase.Known(values[i]) == (r == unseen) || !strings.ContainsRune(string(blocks)+string(unseen), r) {
				t.Fatalf("%g is drawn as %c", values[i], r)
			}
		}
		least, most := extremes(values)
		for _, wantLeast := range []bool{true, false} {
			low, high := extremes(fold(values, int(of), wantLeast))
			if phrase.Known(least) && (wantLeast && low != least || !wantLeast && high != most) {
				t.Fatalf("folding %v by %d hides %g or %g", values, of, least, most)
			}
		}
		if at := slices.Index(values, most); at >= 0 && most > 0 && []rune(line)[at] != '█' {
			t.Fatalf("the greatest of %v is drawn as %s", values, line)
		}
	})
}
