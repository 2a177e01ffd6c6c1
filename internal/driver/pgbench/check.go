package pgbench

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"plinth/internal/driver"
	"plinth/internal/record"
)

// outcome assembles the outcome of a finished run.
func (r *run) outcome() (*driver.Outcome, error) {
	text, err := os.ReadFile(r.stdout.Name())
	if err != nil {
		return nil, fmt.Errorf("cannot read pgbench's summary: %w", err)
	}
	covered := r.ledger.covers(r.alarmed)
	seconds, err := r.ledger.closeWindow(covered)
	if err == nil {
		err = r.written()
	}
	if err != nil {
		return nil, err
	}
	printed := parseSummary(string(text), r.names)
	o := &driver.Outcome{Driver: r.driver, Result: r.page.result(seconds), Points: r.page.cols.points}
	o.Begin, o.End = r.ledger.bounds(seconds)
	o.Result.Statements = printed.statements
	o.Problems = append(disagreements(r.names, len(r.gauges), r.ledger.whole, printed), r.doubts(covered)...)
	o.Problems = append(o.Problems, r.ledger.late(r.job.Cell.Rate)...)
	o.Warnings = append(warnings(r.job, o.Result), r.ledger.shortened()...)
	if e := r.job.Experiment; e.Transactions > 0 && e.Warmup > 0 {
		o.Warnings = append(o.Warnings, record.Note{Rule: "warmup-of-transactions",
			Text: fmt.Sprintf("%d of %d transactions are measured: the others ended during the warm-up",
				o.Result.Transactions, total(r.ledger.whole).done), Hint: "shorten the warm-up"})
	}
	return o, nil
}

// disagreements compares the decoded log, script by script, with pgbench's own summary of
// the whole invocation, warm-up included.
func disagreements(names []string, threads int, log []sums, printed summary) []record.Note {
	if !printed.complete {
		return []record.Note{{Rule: "log-disagrees", Text: "pgbench printed no summary"}}
	}
	all := total(log)
	differ := differences(&all, &printed, 0)
	if len(names) > 1 {
		differ = append(differ, ofScripts(names, threads, log, printed.scripts)...)
	}
	if differ == nil {
		return nil
	}
	return []record.Note{{Rule: "log-disagrees",
		Text: "the transaction log and pgbench's summary disagree: " + strings.Join(differ, "; ")}}
}

// lostOfScript is the share that pgbench's count of one script may lack: its threads add to
// it without a lock ("XXX could use a mutex here, but we choose not to", in
// processXactStats), and occasionally lose other threads' additions, a time slice's worth
// at most. Its count of all scripts is exact.
const lostOfScript = 0.05

func ofScripts(names []string, threads int, log []sums, printed []summary) (differ []string) {
	if len(printed) != len(names) {
		return []string{fmt.Sprintf("scripts: %d run, %d printed", len(names), len(printed))}
	}
	lost := 0.0
	if threads > 1 {
		lost = lostOfScript
	}
	for i, one := range printed {
		one.late = log[i].late // not printed for single scripts
		for _, d := range differences(&log[i], &one, lost) {
			differ = append(differ, "script "+names[i]+": "+d)
		}
	}
	return differ
}

// differences compares counts, of which pgbench's may lack a share, and means. Both means
// are over successful transactions (pgbench's with -P, -R or -L; otherwise it would be
// clients x time / transactions, failures included), so they may differ by rounding only:
// it is printed in microseconds.
func differences(log *sums, printed *summary, lost float64) (differ []string) {
	for _, c := range []struct {
		what         string
		log, printed int64
	}{
		{"transactions", log.done, printed.processed},
		{"failed", log.failures, printed.failed},
		{"skipped", log.skipped, printed.skipped},
		{"retried", log.retried, printed.retried},
		{"retries", log.retries, printed.retries},
		{"late", log.late, printed.late},
	} {
		if lacks := c.log - c.printed; lacks < 0 || lacks > int64(math.Ceil(lost*float64(c.log))) {
			differ = append(differ, fmt.Sprintf("%s: %d in the log, %d printed", c.what, c.log, c.printed))
		}
	}
	if mean := ratio(log.latency, log.done) / 1000; !near(mean, printed.mean, max(lost, 0.01)) {
		differ = append(differ, fmt.Sprintf("mean latency: %.3f ms in the log, %.3f ms printed", mean, printed.mean))
	}
	return differ
}

// near reports whether two means differ by at most a share, or by the last printed digit.
func near(log, printed, share float64) bool {
	return math.Abs(log-printed) <= max(share*printed, 0.001)
}

// doubts returns the reasons in the log itself not to trust the run.
func (r *run) doubts(covered bool) []record.Note {
	var notes []record.Note
	if !covered {
		notes = append(notes, record.Note{Rule: "window-not-covered",
			Text: "pgbench ended before the measured window was over",
			Hint: "connecting may have taken too long; use fewer clients, or more threads"})
	}
	if r.ledger.stepped {
		notes = append(notes, record.Note{Rule: "log-clock",
			Text: "the clock of the transaction log jumped"})
	}
	stalled := time.Duration(0) // the longest time that plinth did not read while a log's pipe filled up
	for _, g := range r.gauges {
		if g != nil {
			stalled = max(stalled, g.stalled)
		}
	}
	if stalled > 0 {
		notes = append(notes, record.Note{Rule: "generator-stalled",
			Text: fmt.Sprintf("plinth did not read pgbench's log for %.3f s; pgbench had to wait", stalled.Seconds()),
			Hint: "leave plinth some CPU time and, with keep_log, give it a faster disk"})
	}
	notes = append(notes, r.ledger.hung()...)
	if r.page.totals.done == 0 {
		notes = append(notes, record.Note{Rule: "nothing-measured",
			Text: "no transaction ended in the measured window",
			Hint: "measure for longer"})
	}
	return notes
}

func ratio(sum, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// amiss is the share of transactions that may be skipped or late without a warning.
const amiss = 0.01

// warnings returns what weakens the numbers of a run and only a driver can know. Failed
// transactions and a missed rate are in the result, for the rules of validity.
func warnings(job driver.Job, r record.Result) []record.Note {
	var notes []record.Note
	warn := func(rule, hint, format string, args ...any) {
		notes = append(notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	due := r.Transactions + r.Failures + r.Skipped
	if share := ratio(r.Skipped, due); share > amiss {
		warn("skipped", "lower the rate: the server cannot sustain it within latency_limit",
			"%d of %d due transactions were skipped (%s): latencies cover only the others", r.Skipped, due, percent(share))
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

// What pgbench's latency covers with -C: it connects, and only then records the start of
// the transaction (CSTATE_START_TX in pgbench.c, 13 to 18). Its log is written before it
// disconnects.
const (
	connectClosed = "latency counts from when a client is connected: connecting and disconnecting for each transaction affect only TPS"
	connectOpen   = "latency counts from when a transaction was due: it includes connecting, but not disconnecting afterwards"
)

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
