package placement

import (
	"errors"
	"math"
	"time"

	"plinth/internal/hint"
)

// Objective names the figure that a layout minimises; the other figure decides between equal layouts, and then
// the bytes to move.
type Objective string

// The objectives.
const (
	LeastTime    Objective = "least device time"
	LeastDollars Objective = "lowest price"
)

// Goal is the objective and its bounds.
type Goal struct {
	Objective Objective `json:"objective"`
	// Budget is the most dollars a month; 0 for no bound.
	Budget float64 `json:"budget_usd_month,omitempty"`
	// Target is the longest that a read of a relation may take on average, and a durable write of
	// the WAL: what queries and commits wait for. Latencies are those of an idle device. 0 for no
	// bound.
	Target time.Duration `json:"target_ns,omitempty"`
}

func (g Goal) check(price Price) error {
	switch {
	case g.Objective != LeastTime && g.Objective != LeastDollars:
		return errors.New("the objective is neither the least device time nor the lowest price")
	case g.Budget < 0 || math.IsNaN(g.Budget) || g.Target < 0:
		return errors.New("the budget or the target is negative")
	case price == nil && (g.Objective == LeastDollars || g.Budget > 0):
		return hint.Errorf("give prices, or leave out the budget", "the layout cannot be found without prices")
	}
	return nil
}

// score orders layouts: by how much limits are exceeded, then by the objective, then by the other
// figure, then by the bytes to move.
type score [4]float64

// below reports whether a layout is better than another. Differences within rounding are none.
func (s score) below(other score) bool {
	for i := range s {
		if within := 1e-9 * max(math.Abs(s[i]), math.Abs(other[i]), 1e-3); math.Abs(s[i]-other[i]) > within {
			return s[i] < other[i]
		}
	}
	return false
}
