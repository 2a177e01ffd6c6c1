package validity

import (
	"cmp"
	"fmt"
	"math"
)

const (
	// shortest is the shortest window, in seconds, that gets no warning. Whether a shorter
	// one includes a checkpoint or write-back of the page cache (vm.dirty_expire_centisecs:
	// 30 s) is chance.
	shortest = 30
	// trendPoints is the minimum number of seconds for fitting a line.
	trendPoints = 10
	// trendShare is the tolerated change over the window, as a share of the mean TPS.
	trendShare = 0.05
	// trendErrors is the minimum change in standard errors; it is high because every run of
	// an experiment is tested. In simulations up to 3 % of steady runs of 30 s and more
	// still warn, and 7 % of those of 10 s whose seconds are strongly autocorrelated.
	trendErrors = 3
)

// nowAndThen holds the periodic work of an engine's servers, which every longer run includes.
var nowAndThen = map[string]string{"redis": "a rewrite, a save"}

var windowWarnings = []rule{
	{
		name: "short",
		hint: "use duration: 60s",
		check: func(c Case) string {
			if !isShort(c) {
				return ""
			}
			return fmt.Sprintf("runs shorter than %d s seldom see %s or the kernel's write-back",
				shortest, cmp.Or(nowAndThen[c.Experiment.Engine], "a checkpoint"))
		},
	},
	{
		name:  "trend",
		hint:  "use a longer warmup",
		check: trend,
	},
}

// isShort reports whether a run has a window below shortest.
func isShort(c Case) bool { return c.Run.Result.Duration > 0 && c.Run.Result.Duration < shortest }

func trend(c Case) string {
	tps := windowTPS(c)
	if len(tps) < trendPoints {
		return ""
	}
	l := fit(tps)
	change := l.slope * float64(len(tps)-1)
	if l.mean <= 0 || math.Abs(change) <= trendShare*l.mean || math.Abs(l.slope) <= trendErrors*l.err {
		return ""
	}
	way := "rose"
	if change < 0 {
		way = "fell"
	}
	return fmt.Sprintf("%s %s by %s of its mean over the window: not yet steady", c.words().Rate, way, percent(math.Abs(change)/l.mean))
}

// windowTPS returns the TPS of each whole second of the measured window, without gaps
// (record.Points).
func windowTPS(c Case) []float64 {
	second, tps := column(c, "second"), column(c, "tps")
	var values []float64
	for i := range min(len(second), len(tps)) {
		whole := second[i]+1 <= c.Run.Result.Duration
		if second[i] >= 0 && whole && tps[i] >= 0 { // NaN is not
			values = append(values, tps[i])
		}
	}
	return values
}

func column(c Case, name string) []float64 {
	for _, col := range c.Points.Columns {
		if col.Name == name {
			return col.Values
		}
	}
	return nil
}

// line is the least-squares line through values one second apart.
type line struct {
	mean  float64
	slope float64 // per second
	err   float64 // standard error of slope, corrected for autocorrelation of the residuals
}

// fit fits a line to five or more values.
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

// residuals returns the distances of the values from the line, and the sum of their squares.
func (l line) residuals(values []float64) (residuals []float64, sum float64) {
	middle := float64(len(values)-1) / 2
	for i, v := range values {
		r := v - l.mean - l.slope*(float64(i)-middle)
		residuals, sum = append(residuals, r), sum+r*r
	}
	return residuals, sum
}

// inflation returns the factor by which autocorrelation increases a standard error, at
// least 1: n values of an AR(1) process with autocorrelation r are worth n (1-r)/(1+r)
// independent ones (G. Bayley and J. Hammersley, "The 'effective' number of independent
// observations in an autocorrelated time series", 1946).
func inflation(residuals []float64, sum float64) float64 {
	if sum == 0 {
		return 1
	}
	r := min(max(alike(residuals, sum), 0), mostAlike)
	return math.Sqrt((1 + r) / (1 - r))
}

// mostAlike is the highest autocorrelation that inflation assumes; it limits the factor to
// 14. Values with a higher autocorrelation are a trend themselves.
const mostAlike = 0.99

// alike returns the lag-1 autocorrelation of residuals whose squares add up to sum. It
// corrects the bias (2+4r)/n that fitting a line to n values causes (a mean alone causes
// (1+3r)/n: F. Marriott and J. Pope, "Bias in the estimation of autocorrelations", 1954); a
// test simulates it.
func alike(residuals []float64, sum float64) float64 {
	products := 0.0
	for i := 1; i < len(residuals); i++ {
		products += residuals[i-1] * residuals[i]
	}
	n := float64(len(residuals))
	return (n*products/sum + 2) / (n - 4)
}
