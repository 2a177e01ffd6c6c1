package cli

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/verdict"
)

// gate is what a comparison must hold for exit 0.
type gate struct {
	name  string
	fails []record.Word
	// loss says that to lose what the server had acknowledged fails it, too.
	loss bool
}

// gates are what --fail-if knows. What has no word is not known to be anything.
var gates = []gate{
	{"", nil, false},
	{"worse", []record.Word{record.Worse, record.Unfit}, true},
	{"not-better", []record.Word{record.Worse, record.Unfit, record.Equivalent, record.Inconclusive, ""}, true},
	{"inconclusive", []record.Word{record.Inconclusive, record.Unfit, ""}, false},
}

func gateNamed(name string) (gate, error) {
	var names []string
	for _, g := range gates {
		if g.name == name {
			return g, nil
		}
		names = append(names, g.name)
	}
	return gate{}, hint.Errorf(hint.DidYouMean(name, names[1:], "it can be worse, not-better or inconclusive"), "--fail-if: unknown value %q", name)
}

// decidable refuses a gate on a metric that is neither better nor worse: it would
// hold whatever happens.
func (g gate) decidable(metrics []string) error {
	for _, name := range metrics {
		if m, err := experiment.ParseMetric(name); err == nil && m.Plain && g.name != "" {
			return hint.Errorf("name a metric that has a direction, such as tps or wal-sync-latency",
				"--fail-if %s: more %s is neither better nor worse", g.name, name)
		}
	}
	return nil
}

// check looks at what faults lost, and at the workloads that were to be decided.
func (g gate) check(c *verdict.Comparison) error {
	failed := g.losses(c.Durability)
	for _, v := range c.Verdicts {
		if !c.Asked(v) || !slices.Contains(g.fails, v.Word) {
			continue
		}
		word := string(v.Word)
		if word == "" {
			word = "not decided yet"
		}
		failed = append(failed, fmt.Sprintf("%s: %s %s is %s", v.Other, v.Workload, v.Metric, word))
	}
	if failed == nil {
		return nil
	}
	return &gateError{fmt.Errorf("--fail-if %s: %s", g.name, strings.Join(failed, "; "))}
}

// losses are the environments that lost acknowledged writes. What the baseline
// loses is no excuse: nobody wants to let such an environment pass.
func (g gate) losses(all []record.Struck) []string {
	var failed []string
	for _, r := range all {
		if g.loss && !r.Baseline && r.Lost() > 0 {
			failed = append(failed, report.StruckLine(r))
		}
	}
	return failed
}

// nothingDecided says whether no comparison could have a word yet: no look was
// reached, or there are too few blocks.
func nothingDecided(c *verdict.Comparison) bool {
	return !slices.ContainsFunc(c.Verdicts, func(v record.Verdict) bool {
		return c.Asked(v) && v.Word != "" && (v.Word != record.Inconclusive || v.N >= c.Fewest.Workload)
	})
}
