package show

import "testing"

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		of   []int64
		want float64
	}{{[]int64{4}, 4}, {[]int64{1, 4}, 2.5}, {[]int64{1, 2, 9}, 2}, {[]int64{1, 2, 4, 9}, 3}} {
		if got := Median(c.of); got != c.want {
			t.Errorf("of %v: %v, want %v", c.of, got, c.want)
		}
	}
}
