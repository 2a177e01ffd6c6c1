package validity

import (
	"fmt"
	"time"

	"plinth/internal/experiment"
)

// rule is one thing that may be wrong with a run.
type rule struct {
	name   string
	hint   string // what the user can do
	engine string // the only engine that it concerns; empty: each
	// needs are the figures of record.Evidence that it reads, by their JSON names.
	// Without one of them it keeps silent.
	needs []string
	// when says whether the rule concerns a case at all; nil: each.
	when func(Case) bool
	// check is what was seen that breaks the rule, in words; empty when it holds.
	check func(Case) string
}

func (r rule) concerns(c Case) bool {
	return isOf(r.engine, c.Experiment) && (r.when == nil || r.when(c))
}

// isOf says whether what concerns one engine, or each, concerns an experiment.
func isOf(engine string, e *experiment.Experiment) bool { return engine == "" || engine == e.Engine }

// share is part of whole, and 0 where there is no whole.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

// plain is a number of three digits or more, without an exponent: "0.6", "60103".
func plain(x float64) string {
	if x < 100 {
		return fmt.Sprintf("%.3g", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}

// count is "1 checkpoint", "3 checkpoints".
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
