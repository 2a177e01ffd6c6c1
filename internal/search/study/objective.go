package study

import (
	"fmt"
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/search"
	"plinth/internal/strictyaml"
)

// objectives are the metrics that a search can improve.
var objectives = []string{"tps", "latency", "p50", "p95", "p99", "p99.9"}

// CheckObjective returns an error if the load of an experiment does not show an objective.
func CheckObjective(objective string, e *experiment.Experiment) error {
	name := experiment.PlainName(objective)
	switch {
	case name == "usd":
		return hint.Errorf("use --objective tps", "--objective usd: the machine costs the same whatever the tuning is, so that the costs of a transaction are lowest where TPS is highest")
	case !slices.Contains(objectives, name):
		return hint.Errorf(hint.DidYouMean(name, objectives, "use one of "+hint.Choice(objectives)), "there is no objective %s", strictyaml.Quote(name))
	case name == "tps" && len(e.Rates) > 0:
		return hint.Errorf("use --objective p99, or remove rate", "--objective tps: the experiment has a rate, which determines TPS")
	}
	return nil
}

// Change is a relative change with its 90 % interval: 0.05 is 5 % more.
type Change struct {
	Effect float64 `json:"effect"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// String returns a change in per cent: "+5.0 % (-1.0 to +11.3)".
func (c Change) String() string {
	return fmt.Sprintf("%+.1f %% (%+.1f to %+.1f)", 100*c.Effect, 100*c.Low, 100*c.High)
}

// Lower reports whether less of the objective is better: of a latency.
func (r Request) Lower() bool {
	m, err := experiment.ParseMetric(r.Objective)
	return err == nil && !m.Higher
}

// Change returns a gain as the change of the objective: a gain in latency is a negative one.
func (r Request) Change(gain search.Estimate) Change {
	c := Change{gain.Effect, gain.Effect - search.Within*gain.Error, gain.Effect + search.Within*gain.Error}
	if r.Lower() {
		c = Change{-c.Effect, -c.High, -c.Low}
	}
	return Change{math.Expm1(c.Effect), math.Expm1(c.Low), math.Expm1(c.High)}
}
