package stats

import (
	"fmt"
	"math"
)

// Eight blocks, each with the transactions a second of two systems.
func Example() {
	a := []float64{1010, 985, 1204, 1190, 1002, 950, 1100, 1043}
	b := []float64{1195, 1101, 1395, 1420, 1170, 1165, 1251, 1240}
	d := make([]float64, len(a))
	for i := range d {
		d[i] = math.Log(b[i] / a[i])
	}
	test, err := Paired(d, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	decision := Decide([]*Test{test}, 0.05, math.Log(1.03))[0]
	percent := func(d float64) float64 { return 100 * math.Expm1(d) }
	fmt.Printf("%s: %.0f %% more (%.0f to %.0f %% at %.0f %%, p = %.4f)\n", decision.Outcome, percent(test.Mean()),
		percent(decision.Low), percent(decision.High), 100*decision.Level, decision.P)
	fmt.Println(test.Notes()[0].Text)
	// Output:
	// up: 17 % more (14 to 20 % at 95 %, p = 0.0078)
	// p is exact over all sign flips; this only assumes that the order inside each unit was random
}
