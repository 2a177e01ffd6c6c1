package closed

import (
	"math"
	"testing"
)

// TestDraws checks the means of what is drawn, and its ends.
func TestDraws(t *testing.T) {
	const n = 200000
	d := newDraw(1)
	for _, mean := range []float64{0, 0.2, 1, 1.4, 2, 7.5} {
		sum := 0
		for range n {
			drawn := d.misses(mean)
			if drawn < 0 || drawn > max(2, int(math.Ceil(mean))) {
				t.Fatalf("%d misses of %v", drawn, mean)
			}
			sum += drawn
		}
		near(t, "misses", 1+float64(sum)/n, 1+mean, 0.005)
	}
	for _, mean := range []int64{4096, BlockSize, 9000, 5 * BlockSize} {
		sum := int64(0)
		for range n {
			size := d.readSize(mean)
			if mean >= BlockSize && size%BlockSize != 0 {
				t.Fatalf("%d bytes", size)
			}
			sum += size
		}
		near(t, "size", float64(sum)/n, float64(mean), 0.005)
	}
}
