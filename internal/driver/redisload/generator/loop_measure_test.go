//go:build linux && measure

package generator

import (
	"slices"
	"testing"
	"time"

	"plinth/internal/measuretest"
)

// TestMeasureClock checks that latency is the time between the start of the write and the
// end of the read, to less than 5 µs. It uses the median, because the thread may be
// preempted in between.
func TestMeasureClock(t *testing.T) {
	measuretest.Ask(t, "By how much does the load generator for Redis overstate latencies?", measureClock)
}

func measureClock(t *measuretest.M) {
	th, e := echoThread(t, Config{Scripts: []Script{{"get", 1}}, Keyspace: 1000}, "$3\r\nabc\r\n")
	var errors []time.Duration
	for range 20_000 {
		part := &th.second.Parts[0]
		before := part.Latency
		if err := th.receive(&th.clients[0]); err != nil {
			t.Fatal(err)
		}
		if part == &th.second.Parts[0] {
			errors = append(errors, time.Duration(part.Latency-before-(e.read-e.last)))
		}
		th.drain()
	}
	slices.Sort(errors)
	at := func(q float64) time.Duration { return errors[int(q*float64(len(errors)-1))] }
	t.Between("median error", float64(at(0.5))/1e3, "µs", 0, 5)
	t.Value("99th percentile of the error", float64(at(0.99))/1e3, "µs")
}
