package validity

import "math"

// line is the straight line of least squares through values one second apart.
type line struct {
	mean  float64
	slope float64 // by second
	err   float64 // standard error of slope, as autocorrelated as its residuals are
}

// fit draws a line through three or more values.
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
	residuals := make([]float64, len(values))
	sum := 0.0
	for i, v := range values {
		residuals[i] = v - l.mean - l.slope*(float64(i)-middle)
		sum += residuals[i] * residuals[i]
	}
	l.err = math.Sqrt(sum/(n-2)/spread) * inflation(residuals, sum)
	return l
}

// inflation is by how much a standard error grows when neighbours are alike:
// n values with the autocorrelation r are worth n (1-r)/(1+r) independent ones (of
// a process AR(1); M. Bayley and J. Hammersley, "The effective number of
// independent observations in an autocorrelated time series", 1946). It never
// shrinks it.
func inflation(residuals []float64, sum float64) float64 {
	if sum == 0 {
		return 1
	}
	products := 0.0
	for i := 1; i < len(residuals); i++ {
		products += residuals[i-1] * residuals[i]
	}
	// The residuals of a line seem less alike than they are: in n values r comes
	// out (2+4r)/n too small (F. Marriott and J. Pope, "Bias in the estimation of
	// autocorrelations", 1954, with a trend taken out).
	n := float64(len(residuals))
	r := (n*products/sum + 2) / (n - 4)
	r = min(max(r, 0), mostAlike)
	return math.Sqrt((1 + r) / (1 - r))
}

// mostAlike keeps the inflation finite (at 14): values more alike than this are
// a trend themselves.
const mostAlike = 0.99
