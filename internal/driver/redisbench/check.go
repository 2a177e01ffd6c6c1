package redisbench

import (
	"math"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// Check returns an error for the first thing in an experiment that redis-benchmark cannot
// do, with an alternative in its hint. It is called before anything is created.
//
// A warm-up is refused, rather than done by a shorter invocation before: that would end,
// and close its connections, before the measurement begins.
func Check(e *experiment.Experiment) error {
	for _, w := range e.Workloads {
		if err := checkLoad(e, w); err != nil {
			return err
		}
		for _, env := range e.Environments {
			if err := checkConnected(env.Connect, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// limit is one thing that redis-benchmark cannot do.
type limit struct {
	met  func(e *experiment.Experiment, w experiment.Workload) bool
	text string
	hint string
}

const useOwn = "use generator: plinth"

var limits = []limit{
	{func(e *experiment.Experiment, _ experiment.Workload) bool { return len(e.Rates) > 0 },
		"redis-benchmark cannot send requests at a fixed rate", useOwn},
	{func(e *experiment.Experiment, _ experiment.Workload) bool { return e.Transactions == 0 },
		"redis-benchmark sends a fixed number of requests; it cannot stop after a time", useOwn + ", or give transactions, such as transactions: 50000"},
	{func(e *experiment.Experiment, _ experiment.Workload) bool { return e.Transactions > math.MaxInt32 },
		"redis-benchmark cannot send more than 2147483647 requests", "give fewer transactions, or " + useOwn},
	{func(e *experiment.Experiment, _ experiment.Workload) bool { return e.Keyspace > math.MaxInt32 },
		"redis-benchmark cannot draw from more than 2147483647 keys", "give a smaller keyspace, or " + useOwn},
	{func(e *experiment.Experiment, _ experiment.Workload) bool { return e.Warmup > 0 },
		"redis-benchmark has no warm-up: its results include all requests", useOwn + ", or give warmup: 0s"},
	{func(e *experiment.Experiment, _ experiment.Workload) bool {
		return e.Distribution != "" && e.Distribution != "uniform"
	}, "redis-benchmark draws its keys uniformly", useOwn},
	{func(_ *experiment.Experiment, w experiment.Workload) bool { return len(w.Scripts) > 1 },
		"redis-benchmark cannot mix tests", useOwn},
	{func(_ *experiment.Experiment, w experiment.Workload) bool { return testOf(w) == "" },
		"the workload has no redis-benchmark test", "give one such as set or get"},
}

func checkLoad(e *experiment.Experiment, w experiment.Workload) error {
	for _, l := range limits {
		if l.met(e, w) {
			return hint.Errorf(l.hint, "%s", l.text)
		}
	}
	return nil
}

// checkConnected rejects a server that is not plinth's where redis-benchmark would expose
// its password or overwrite its keys.
func checkConnected(c conninfo.Conninfo, w experiment.Workload) error {
	if c == "" {
		return nil
	}
	a, err := c.Redis()
	switch {
	case err != nil:
		return nil // reported where it is checked
	case a.User != "" || a.Password != "":
		return errSecret
	case usesKeys(w):
		return errForeignKeys
	}
	return nil
}
