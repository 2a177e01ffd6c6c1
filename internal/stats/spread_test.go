package stats

import (
	"math"
	"testing"
)

func TestLoadSpread(t *testing.T) {
	for _, c := range []struct {
		name            string
		groups          [][]float64
		between, within float64
	}{
		// Means 2 and 6, 2 within: mean squares 16 of groups and 2 inside, (16-2)/2.
		{"two groups of two", [][]float64{{1, 3}, {5, 7}}, 7, 2},
		// Sizes 1 and 3 count as 1.5: all around 4.25, 18.75 of groups, (18.75-1)/1.5.
		{"unequal groups", [][]float64{{0.5}, {4, 5, 6}}, (81.0/4*3/4 - 1) / 1.5, 1},
		{"no more between than within", [][]float64{{1, 3}, {1, 3}}, 0, 2},
		{"one group", [][]float64{{1, 3}}, 0, 2},
		{"groups of one cannot be told", [][]float64{{1}, {3}}, 0, 2},
		{"empty groups do not count", [][]float64{{}, {1, 3}, nil, {5, 7}}, 7, 2},
		{"one value", [][]float64{{1}}, 0, 0},
		{"nothing", nil, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if between, within := LoadSpread(c.groups); !near(between, c.between) || !near(within, c.within) {
				t.Errorf("between %v, within %v, not %v and %v", between, within, c.between, c.within)
			}
		})
	}
}

func TestLoadSpreadFindsWhatWasPutIn(t *testing.T) {
	luck := noise(1, 400)
	groups := make([][]float64, len(luck))
	for i := range groups {
		for _, v := range noise(uint64(100+i), 3+i%4) {
			groups[i] = append(groups[i], 2*luck[i]+3*v)
		}
	}
	between, within := LoadSpread(groups)
	if math.Abs(between-4) > 1 || math.Abs(within-9) > 1 {
		t.Errorf("between %.2f, within %.2f, not 4 and 9", between, within)
	}
}
