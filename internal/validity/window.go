package validity

import (
	"cmp"
	"fmt"
	"math"
)

const (
	// shortest is how many seconds a window needs: below it, one checkpoint or one
	// flush of the page cache (vm.dirty_expire_centisecs: 30 s) is in a run or is not.
	shortest = 30
	// trendPoints is the fewest seconds through which a line is drawn.
	trendPoints = 10
	// trendShare is how much of the mean TPS may change over the window.
	trendShare = 0.05
	// trendErrors is how many standard errors the change must be of, since each run
	// of an experiment is looked at. Simulated, up to 3 % of steady runs of 30 s and
	// more still warn, and 7 % of those of 10 s whose seconds are much alike.
	trendErrors = 3
)

// nowAndThen is what servers of an engine do now and then, and longer runs all have.
var nowAndThen = map[string]string{"redis": "a rewrite, a save"}

var windowWarnings = []rule{
	{
		name: "short",
		hint: "duration: 60s",
		check: func(c Case) string {
			length := c.Run.Result.Duration
			if length <= 0 || length >= shortest {
				return ""
			}
			return fmt.Sprintf("only %s were measured: whether %s or the kernel's write-back fell into a run is luck below %d s",
				seconds(length), cmp.Or(nowAndThen[c.Experiment.Engine], "a checkpoint"), shortest)
		},
	},
	{
		name:  "trend",
		hint:  "a longer warmup, until it is steady",
		check: trend,
	},
}

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

// windowTPS is the TPS of each whole second of the measured window, without the
// gaps (record.Points).
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
