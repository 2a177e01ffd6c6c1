package validity

import "fmt"

const (
	// shortest is how many seconds a window needs: below it, one checkpoint or one
	// flush of the page cache (vm.dirty_expire_centisecs: 30 s) is in a run or is not.
	shortest = 30
	// trendPoints is the fewest seconds through which a line is drawn.
	trendPoints = 10
	// trendShare is how much of the mean TPS may change over the window.
	trendShare = 0.05
	// trendErrors is how many standard errors the change must be of, since each
	// run of an experiment is looked at: 1 of 370 steady ones still warns.
	trendErrors = 3
)

var windowWarnings = []rule{
	{
		name: "short",
		hint: "duration: 60s",
		check: func(c Case) string {
			length := c.Run.Result.Duration
			if length <= 0 || length >= shortest {
				return ""
			}
			return fmt.Sprintf("only %s were measured: whether a checkpoint or the kernel's write-back fell into a run is luck below %d s",
				seconds(length), shortest)
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
	if l.mean <= 0 || magnitude(change) <= trendShare*l.mean || magnitude(l.slope) <= trendErrors*l.err {
		return ""
	}
	way := "rose"
	if change < 0 {
		way = "fell"
	}
	return fmt.Sprintf("TPS %s by %s of its mean over the window: not yet steady", way, percent(magnitude(change)/l.mean))
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
