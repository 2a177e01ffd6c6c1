package stats

import (
	"fmt"
	"testing"
)

// The numbers of units of usual plans.
var sizes = []int{6, 13, 20, 39, 78}

func BenchmarkPaired(b *testing.B) {
	for _, n := range sizes {
		d := noise(1, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				must(Paired(d, 1))
			}
		})
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range sizes {
		test := must(Paired(noise(1, n), 1))
		order := append([]float64(nil), test.typical...)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				copy(test.typical, order) // a list that was read once is nearly sorted
				Decide([]*Test{test}, 0.05, 0.03)
			}
		})
	}
}

func BenchmarkIndependent(b *testing.B) {
	for _, n := range sizes {
		x, y := noise(1, n), noise(2, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				must(Independent(x, y, 1))
			}
		})
	}
}

func BenchmarkDetectable(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				edges.Clear()
				Detectable(0.05, n, 0.05, 0.8)
			}
		})
	}
}
