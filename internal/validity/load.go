package validity

import (
	"fmt"
	"math"

	"plinth/internal/unit"
)

const (
	// keptRate is the share of the rate that must have been started or skipped. The limit
	// is a choice of this project: a run more than 5 % below the rate is another experiment.
	keptRate = 0.95
	// certain is the number of standard deviations by which a miss must exceed chance.
	// pgbench draws the times at which transactions are due ("a Poisson-distributed
	// schedule time line", documentation of --rate), so where n are due on average,
	// n ± sqrt(n) are.
	certain = 3
	// toleratedFailures is the share of expected failures below which there is no warning:
	// the percentiles up to 99 hardly change.
	toleratedFailures = 0.01
)

var loadReasons = []rule{
	{
		name: "failures",
		hint: "set max_tries to retry serialization failures and deadlocks, or expect_failures: true if the workload is meant to fail",
		check: func(c Case) string {
			if c.Experiment.ExpectFailures || c.Run.Result.Failures <= 0 {
				return ""
			}
			return failures(c)
		},
	},
	{
		name:  "rate-missed",
		hint:  "all clients were busy: use more clients or a lower rate",
		check: rateMissed,
	},
}

var loadWarnings = []rule{
	{
		name: "failures",
		hint: "set max_tries to retry serialization failures and deadlocks",
		check: func(c Case) string {
			r := c.Run.Result
			if !c.Experiment.ExpectFailures || share(float64(r.Failures), float64(due(c))) <= toleratedFailures {
				return ""
			}
			return failures(c) + ": latencies exclude them"
		},
	},
}

// due returns the number of transactions that succeeded, failed or were skipped.
func due(c Case) int64 {
	r := c.Run.Result
	return r.Transactions + r.Failures + r.Skipped
}

func failures(c Case) string {
	failed, all := c.Run.Result.Failures, due(c)
	return fmt.Sprintf("%d of %s failed (%s)", failed, unit.Count(all, c.words().Unit), percent(share(float64(failed), float64(all))))
}

// rateMissed counts transactions that latency_limit skipped as on schedule, like those that
// were started: they are reported separately, as what the server could not do.
func rateMissed(c Case) string {
	rate, begun, length := c.Run.Rate, float64(due(c)), c.Run.Result.Duration
	want := rate * length
	if begun >= keptRate*want || begun >= want-certain*math.Sqrt(want) {
		return ""
	}
	return fmt.Sprintf("%s %s a second were started or skipped, but %s were due",
		plain(begun/length), c.words().Units(), plain(rate))
}
