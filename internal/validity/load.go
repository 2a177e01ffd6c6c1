package validity

import (
	"fmt"
	"math"

	"plinth/internal/unit"
)

const (
	// keptRate is the share of the rate that must have been begun or skipped (the
	// project's own bound: beyond 5 % it is another experiment).
	keptRate = 0.95
	// certain is how many standard deviations a miss must lie outside of chance.
	// pgbench draws the times at which transactions are due ("a Poisson-distributed
	// schedule time line", documentation of --rate), so that of n that are due on
	// average n ± sqrt(n) are.
	certain = 3
	// toleratedFailures is the share of expected failures that nobody need be
	// reminded of: the percentiles up to 99 hardly change.
	toleratedFailures = 0.01
)

var loadReasons = []rule{
	{
		name: "failures",
		hint: "max_tries retries serialization failures and deadlocks; expect_failures: true where they belong to the workload",
		check: func(c Case) string {
			if c.Experiment.ExpectFailures || c.Run.Result.Failures <= 0 {
				return ""
			}
			return failures(c)
		},
	},
	{
		name:  "rate-missed",
		hint:  "the clients were all busy: use more clients, or a lower rate",
		check: rateMissed,
	},
}

var loadWarnings = []rule{
	{
		name: "failures",
		hint: "max_tries retries serialization failures and deadlocks",
		check: func(c Case) string {
			r := c.Run.Result
			if !c.Experiment.ExpectFailures || share(float64(r.Failures), float64(due(c))) <= toleratedFailures {
				return ""
			}
			return failures(c) + ": latencies are of the others"
		},
	},
}

// due is the transactions that ended, one way or another, or were skipped.
func due(c Case) int64 {
	r := c.Run.Result
	return r.Transactions + r.Failures + r.Skipped
}

func failures(c Case) string {
	failed, all := c.Run.Result.Failures, due(c)
	return fmt.Sprintf("%d of %s failed (%s)", failed, unit.Count(all, c.words().Unit), percent(share(float64(failed), float64(all))))
}

// rateMissed counts what was begun and what was skipped by latency_limit as kept:
// a skipped transaction is counted as such and says what the server could not do.
func rateMissed(c Case) string {
	rate, begun, length := c.Run.Rate, float64(due(c)), c.Run.Result.Duration
	want := rate * length
	if begun >= keptRate*want || begun >= want-certain*math.Sqrt(want) {
		return ""
	}
	return fmt.Sprintf("%s %s a second were begun or skipped where %s were due",
		plain(begun/length), c.words().Units(), plain(rate))
}
