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
