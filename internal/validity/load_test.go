package validity

var loadTrials = []trial{
	{"nothing", func(*Case) {}, "", ""},
	{"one failure", func(c *Case) { c.Run.Result.Failures = 1 }, "failures!", "1 of 60001 transactions failed (0.00167 %)"},
	{"one of one", func(c *Case) { c.Run.Result.Failures, c.Run.Result.Transactions = 1, 0 }, "failures!", "1 of 1 transaction failed (100 %)"},
	{"expected failures", func(c *Case) {
		c.Experiment.ExpectFailures = true
		c.Run.Result.Failures = 6000
	}, "failures", "6000 of 66000 transactions failed (9.09 %): latencies exclude them"},
	{"few expected failures", func(c *Case) {
		c.Experiment.ExpectFailures = true
		c.Run.Result.Failures = 600
	}, "", ""},
	{"the rate missed", atRate(1000, 56_000, 0, 0), "rate-missed!", "933 transactions a second were started or skipped, but 1000 were due"},
	{"nearly the rate", atRate(1000, 57_001, 0, 0), "", ""},
	{"skipped counts as kept", atRate(1000, 5_000, 55_000, 0), "", ""},
	{"failed counts as begun", atRate(1000, 50_000, 0, 10_000), "failures!", ""},
	{"a high rate missed", atRate(123_456, 60_000, 0, 0), "rate-missed!", "1000 transactions a second were started or skipped, but 123456 were due"},
	{"nothing begun", atRate(1000, 0, 0, 0), "rate-missed!", "0 transactions a second"},
	{"few are uncertain", atRate(1, 54, 0, 0), "", ""},
	{"few are certain in the end", atRate(1, 36, 0, 0), "rate-missed!", "0.6 transactions a second"},
}

func atRate(rate float64, done, skipped, failed int64) func(*Case) {
	return func(c *Case) {
		c.Run.Rate, c.Run.Result.Loop = rate, "open"
		c.Run.Result.Transactions, c.Run.Result.Skipped, c.Run.Result.Failures = done, skipped, failed
	}
}
