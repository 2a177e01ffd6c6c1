package pgbench

import (
	"fmt"

	"plinth/internal/driver"
	"plinth/internal/record"
)

// amiss is how large a share of the transactions may be skipped or late before a
// number says less than it seems to.
const amiss = 0.01

// warnings are what weakens the numbers of a run, as far as only a driver can
// know. Failed transactions and a missed rate are in the result, for the rules
// of validity.
func warnings(job driver.Job, r record.Result) []record.Note {
	var notes []record.Note
	warn := func(rule, hint, format string, args ...any) {
		notes = append(notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	due := r.Transactions + r.Failures + r.Skipped
	if share := ratio(r.Skipped, due); share > amiss {
		warn("skipped", "the rate is more than the server can do within latency_limit",
			"%d of %d transactions that were due were skipped (%s): latencies are of the others", r.Skipped, due, percent(share))
	}
	if share := ratio(r.Late, r.Transactions); share > amiss {
		warn("late", "", "%d of %d transactions took longer than latency_limit (%s)", r.Late, r.Transactions, percent(share))
	}
	if job.Experiment.Connect == "each" {
		text := connectClosed
		if job.Cell.Rate > 0 {
			text = connectOpen
		}
		warn("connect-not-in-latency", "", "%s", text)
	}
	return notes
}

// What pgbench's latency covers with -C: it connects, and only then notes when
// the transaction began (CSTATE_START_TX in pgbench.c, 13 to 18). Its log is
// written before it disconnects.
const (
	connectClosed = "latency begins once a client is connected: connecting and disconnecting, for each transaction, are in TPS only"
	connectOpen   = "latency counts from when a transaction was due and so covers connecting, but not disconnecting after it"
)

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
