package redisload

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/driver"
	"plinth/internal/driver/redisload/generator"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// defaultPrefix is that of redis-benchmark's keys.
const defaultPrefix = "key:"

// largestPayload is the largest value that Redis holds (proto-max-bulk-len; "a string can
// be at most 512 MB", redis.io, data types).
const largestPayload = 512 * unit.MiB

// Tests returns the names of what can be driven: those of redis-benchmark.
func Tests() []string { return generator.Tests() }

// newConfig returns a job as configuration of the load generator.
//
// The seed is random, and is in the recorded command: repeats are meant to differ in
// arrivals and keys, too, and a common seed would give every run the same random series of
// arrivals.
func newConfig(job driver.Job) (generator.Config, error) {
	e, cell := job.Experiment, job.Cell
	c := generator.Config{
		Payload: max(int64(e.Payload), 1), Keyspace: max(e.Keyspace, 1),
		Distribution: e.Distribution, Pipeline: max(e.Pipeline, 1), ConnectEach: e.Connect == "each",
		Clients: cell.Clients, Threads: max(1, min(cell.Threads, cell.Clients)), Rate: cell.Rate,
		Seed: rand.Uint64(), Warmup: e.Warmup.Std(),
	}
	if !job.Window.IsZero() {
		c.Start = job.Window.Add(-c.Warmup).UnixNano()
	}
	if c.Distribution == "" {
		c.Distribution = "uniform"
	}
	if c.Requests = e.Transactions; c.Requests == 0 {
		c.Duration = e.Duration.Std()
	}
	for _, s := range job.Workload.Scripts {
		c.Scripts = append(c.Scripts, generator.Script{Test: s.Builtin, Weight: max(s.Weight, 1)})
	}
	if err := address(&c, job.Conninfo); err != nil {
		return c, err
	}
	return c, check(e, &c)
}

// address parses how the server is reached: a Redis URI as the experiment has it, plus
// prefix, that of the keys.
func address(c *generator.Config, server string) error {
	u, err := url.Parse(server)
	if err != nil {
		return errors.New("cannot parse the address of the server")
	}
	query := u.Query()
	c.Prefix = defaultPrefix
	if query.Has("prefix") {
		c.Prefix = query.Get("prefix")
	}
	query.Del("prefix")
	u.RawQuery = query.Encode()
	a, err := conninfo.Conninfo(u.String()).Redis()
	if err != nil {
		return errors.New("the address of the server " + err.Error())
	}
	c.Network, c.Address, c.User, c.DB, c.TLS, c.CACert = a.Network, a.Address, a.User, a.DB, a.TLS, a.CACert
	return nil
}

// check rejects what cannot be driven.
func check(e *experiment.Experiment, c *generator.Config) error {
	switch {
	case len(c.Scripts) == 0:
		return hint.Errorf("give the workload a test: "+strings.Join(Tests(), ", "), "the workload has no test")
	case c.Clients < 1:
		return errors.New("no clients")
	case c.Rate > 0 && c.Pipeline > 1:
		return hint.Errorf("leave out rate or pipeline", "with a rate, requests are sent when they are due, not in batches of %d", c.Pipeline)
	case e.Transactions > 0 && e.Duration > 0:
		return hint.Errorf("leave out one of them", "both transactions and duration are set")
	case c.Requests == 0 && c.Duration <= 0:
		return hint.Errorf("give a duration, or transactions", "neither transactions nor duration is set")
	case unit.Size(c.Payload) > largestPayload:
		return hint.Errorf("use at most 512MiB, the maximum of Redis", "the payload is too large: %v", unit.Size(c.Payload))
	}
	for _, s := range c.Scripts {
		if !slices.Contains(Tests(), s.Test) {
			return hint.Errorf(hint.DidYouMean(s.Test, Tests(), "choose one of: "+strings.Join(Tests(), ", ")), "unknown test %q", s.Test)
		}
	}
	return nil
}
