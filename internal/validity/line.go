package validity

import "math"

// line is the straight line of least squares through values one second apart.
type line struct {
	mean  float64
	slope float64 // by second
	err   float64 // standard error of slope, as autocorrelated as its residuals are
}

// fit draws a line through five or more values.
func fit(values []float64) line {
	n := float64(len(values))
	var l line
	for _, v := range values {
		l.mean += v / n
	}
	middle, spread := (n-1)/2, n*(n*n-1)/12
	for i, v := range values {
		l.slope += (float64(i) - middle) * (v - l.mean) / spread
	}
	residuals, sum := l.residuals(values)
	l.err = math.Sqrt(sum/(n-2)/spread) * inflation(residuals, sum)
	return l
}

// residuals is how far the values lie from the line, and the sum of its squares.
func (l line) residuals(values []float64) (residuals []float64, sum float64) {
	middle := float64(len(values)-1) / 2
	for i, v := range values {
		r := v - l.mean - l.slope*(float64(i)-middle)
		residuals, sum = append(residuals, r), sum+r*r
	}
	return residuals, sum
}

// inflation is by how much a standard error grows when neighbours are alike:
// n values with the autocorrelation r are worth n (1-r)/(1+r) independent ones (of
// a process AR(1); G. Bayley and J. Hammersley, "The 'effective' number of
// independent observations in an autocorrelated time series", 1946). It never
// shrinks it.
func inflation(residuals []float64, sum float64) float64 {
	if sum == 0 {
		return 1
	}
	r := min(max(alike(residuals, sum), 0), mostAlike)
	return math.Sqrt((1 + r) / (1 - r))
}

// mostAlike keeps the inflation finite (at 14): values more alike than this are
// a trend themselves.
const mostAlike = 0.99

// alike is the autocorrelation of neighbours in residuals whose squares add up to
// sum. A line through n values takes a part of it out, (2+4r)/n (a mean alone
// takes (1+3r)/n: F. Marriott and J. Pope, "Bias in the estimation of
// autocorrelations", 1954), which is put back; a test simulates it.
func alike(residuals []float64, sum float64) float64 {
	products := 0.0
	for i := 1; i < len(residuals); i++ {
		products += residuals[i-1] * residuals[i]
	}
	n := float64(len(residuals))
	return (n*products/sum + 2) / (n - 4)
}
