package phrase

import (
	"fmt"

	"plinth/internal/record"
)

// A Burst is one of the bursts of a run: its name, when it ended, when its model expects that, and
// what was left at the end of the load, as a share or in credits.
type Burst struct {
	Name            string
	Ended, Expected *float64 // seconds of the measured window
	Left            string
}

// BurstsOf returns the bursts of a run, CPU credits first.
func BurstsOf(run record.Run) (all []Burst) {
	if c := run.Credits; c != nil {
		left := Exact(rounded(c.End)) + " credits"
		if c.Surplus > 0 {
			left += ", " + Exact(rounded(c.Surplus)) + " spent in advance"
		}
		all = append(all, Burst{"CPU credits", c.Ended, c.Expected, left})
	}
	for _, b := range run.Bursts {
		name := b.Volume + " " + b.Limit
		if b.Limit == "iops" {
			name = b.Volume + " IOPS"
		}
		all = append(all, Burst{name, b.Ended, b.Expected, fmt.Sprintf("%.0f %%", 100*b.Left)})
	}
	return all
}

// rounded keeps two decimals of a number of credits.
func rounded(credits float64) float64 { return float64(int64(credits*100+0.5)) / 100 }

// Second formats a second of the window; a dash if it is unknown.
func Second(at *float64) string {
	if at == nil {
		return None
	}
	return fmt.Sprintf("%.1f s", *at)
}
