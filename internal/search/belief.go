package search

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// The prior: what is assumed of a dimension before anything is measured. Effects are logarithms of ratios: 0.05 is 5 %.
const (
	priorSD   = 0.05 // of the effect of a level
	priorNear = 0.5  // correlation between neighbouring levels
)

// belief holds what is known of the levels of one dimension: a normal distribution of their effects. Only
// differences between levels can be observed.
type belief struct {
	mean     []float64
	cov      [][]float64
	excluded []bool
}

// newBelief returns the prior of a dimension.
func newBelief(d Dimension) *belief {
	b := &belief{mean: make([]float64, len(d.Levels)), excluded: make([]bool, len(d.Levels))}
	for i := range d.Levels {
		row := make([]float64, len(d.Levels))
		for j := range row {
			near := math.Pow(priorNear, math.Abs(float64(i-j)))
			if !d.Ordered && i != j {
				near = 0
			}
			row[j] = priorSD * priorSD * near
		}
		b.cov = append(b.cov, row)
	}
	return b
}

// gain returns the expected gain of a level over another one, and its standard deviation.
func (b *belief) gain(from, to int) (mean, sd float64) {
	variance := b.cov[to][to] + b.cov[from][from] - 2*b.cov[to][from]
	return b.mean[to] - b.mean[from], math.Sqrt(max(0, variance))
}

// observe learns the measured difference between two levels (the update of a Kalman filter for one observation).
func (b *belief) observe(from, to int, e Estimate) {
	n := len(b.mean)
	along := make([]float64, n) // covariance of each level with the difference
	for i := range along {
		along[i] = b.cov[i][to] - b.cov[i][from]
	}
	variance := along[to] - along[from] + e.Error*e.Error
	if variance <= 0 {
		return
	}
	surprise := e.Effect - (b.mean[to] - b.mean[from])
	for i := range n {
		b.mean[i] += along[i] / variance * surprise
	}
	for i := range n {
		for j := range n {
			b.cov[i][j] -= along[i] * along[j] / variance
		}
	}
}

// draw returns effects of the levels drawn from the distribution.
func (b *belief) draw(random *rand.Rand) []float64 {
	n := len(b.mean)
	cov := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, b.cov[i][j])
		}
		cov.SetSym(i, i, b.cov[i][i]+1e-9) // rounding must not make it singular
	}
	drawn := append([]float64(nil), b.mean...)
	var factor mat.Cholesky
	if !factor.Factorize(cov) {
		return drawn
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	for j := range n {
		z := random.NormFloat64()
		for i := j; i < n; i++ {
			drawn[i] += lower.At(i, j) * z
		}
	}
	return drawn
}

// choose returns the level with the greatest expected gain over start, of those whose expected gain exceeds least, and whose
// gain exceeds zero with a probability of at least sure.
func (b *belief) choose(start int, sure, least float64) int {
	best, most := start, least
	for level := range b.mean {
		mean, sd := b.gain(start, level)
		if level == start || b.excluded[level] || mean <= most || (Estimate{mean, sd}).Probability() < sure {
			continue
		}
		best, most = level, mean
	}
	return best
}
