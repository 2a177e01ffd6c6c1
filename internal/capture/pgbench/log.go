package pgbench

import (
	"errors"
	"fmt"

	"plinth/internal/capture"
	"plinth/internal/driver/pgbench/txlog"
	"plinth/internal/record"
)

// log reads the transaction log of one thread (-l), or those of several one after the other. Its lines
// do not say which fields they have: six are always there, and the seventh is the schedule lag (-R)
// or the retries (--max-tries), which the values show (see seventh).
type log struct {
	form    txlog.Form
	fields  int
	entry   txlog.Entry
	lines   int64
	clients []span // by number
	began   int64  // of the first transaction, in microseconds since the epoch
	ended   int64
	all     tally
	scripts []*tally // by number; nil as long as there is only one
	only    int      // the number of the only script
	seconds seconds
	seventh seventh
	torn    bool
}

// span is the range of the counts that the lines of a client have.
type span struct {
	first, last int64
	seen        bool
}

// maxClients is how many clients a log can have. pgbench's limit is the number of open files.
const maxClients = 1 << 20

// The times that a log can have, in microseconds since the epoch: from 2001 to 2100.
const (
	earliest = 1e9 * micro
	latest   = 4_102_444_800 * micro
	micro    = 1_000_000
)

func newLog() *log { return &log{} }

// formOf returns the form of lines with so many fields. A seventh field alone is parsed as the lag.
func formOf(fields int) txlog.Form { return txlog.Form{Lag: fields >= 7, Retries: fields == 8} }

// parseLog parses a line of a log with six to eight fields.
func parseLog(line []byte, fields int, e *txlog.Entry) bool {
	return fields >= 6 && fields <= 8 && formOf(fields).Parse(line, e) && plausible(e)
}

func plausible(e *txlog.Entry) bool {
	return e.End >= earliest && e.End < latest && e.Client < maxClients && e.Micros <= e.End
}

// logBegins accepts a line of a log that lines with the same fields follow, or another text.
func logBegins(lines []string) bool {
	fields := countFields(lines[0])
	for i, line := range lines {
		var e txlog.Entry
		if line == "" && i > 0 {
			break
		}
		if !parseLog([]byte(line), fields, &e) {
			return i > 0 && (countFields(line) != fields || i == len(lines)-1)
		}
	}
	return true
}

func countFields(line string) int {
	n := 1
	for i := range len(line) {
		if line[i] == ' ' {
			n++
		}
	}
	return n
}

// Line implements capture.Reader.
func (l *log) Line(line []byte) bool {
	if l.torn {
		return false
	}
	if l.lines == 0 {
		l.fields = countFields(string(line))
		if l.fields < 6 || l.fields > 8 {
			return false
		}
		l.form = formOf(l.fields)
	}
	e := &l.entry
	if !l.form.Parse(line, e) || !plausible(e) || !l.counts(e) {
		return false
	}
	if l.lines == 0 {
		l.began, l.ended, l.only = e.End, e.End, e.Script
		l.seconds.begin(e.End)
	}
	l.lines++
	l.began = min(l.began, e.End-max(e.Micros, 0))
	l.ended = max(l.ended, e.End)
	if l.fields == 7 {
		l.seventh.add(e)
	}
	e.Micros, e.Lag = max(e.Micros, 0), max(e.Lag, 0) // the clock was set back
	l.add(e)
	return true
}

// counts notes the client's count, which never decreases within a run.
func (l *log) counts(e *txlog.Entry) bool {
	for int64(len(l.clients)) <= e.Client {
		l.clients = append(l.clients, span{})
	}
	c := &l.clients[e.Client]
	switch {
	case !c.seen:
		*c = span{e.Number, e.Number, true}
	case e.Number < c.last:
		return false // another run
	default:
		c.last = e.Number
	}
	return true
}

func (l *log) add(e *txlog.Entry) {
	if l.scripts == nil && e.Script != l.only {
		l.divide()
	}
	sum := l.seconds.at(e.End, &l.all)
	l.all.sums.add(e)
	if sum != nil {
		sum.add(e)
	}
	if l.scripts != nil {
		l.script(e.Script).add(e)
	}
	if e.Outcome == txlog.Succeeded {
		l.seconds.latency(e.Micros*1000, &l.all)
	}
}

// divide begins to count by script: all that was counted belongs to the only script so far.
func (l *log) divide() {
	l.seconds.flush(&l.all)
	l.scripts = make([]*tally, maxScripts+1)
	first := l.script(l.only)
	first.sums = l.all.sums
	if l.all.counts != nil {
		first.latencies().Merge(l.all.counts)
	}
}

func (l *log) script(number int) *tally {
	if l.scripts[number] == nil {
		l.scripts[number] = &tally{}
	}
	return l.scripts[number]
}

// Unended implements capture.Cutter: the numbers at the end of a line have no fixed width.
func (l *log) Unended() { l.torn = true }

// End implements capture.Reader.
func (l *log) End() (capture.Found, error) {
	if l.lines == 0 {
		return capture.Found{}, errors.New("the transaction log has no complete line")
	}
	l.seconds.flush(&l.all)
	var notes []record.Note
	add := func(rule, format string, args ...any) {
		notes = append(notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...)})
	}
	run := l.run()
	if rate, sampled := l.sampling(); sampled {
		scale(&run, rate)
		add(capture.Unclear, "the log has a sample of the transactions (--sampling-rate of about %.3g, as the clients' own counts show): counts and TPS are computed from this rate", rate)
	}
	if l.fields == 7 && l.seventh.kind() == unclear {
		add(capture.Unclear, "the seventh field can be the schedule lag or the retries: it is not used")
	}
	if n := l.seconds.outside; n > 0 {
		add(capture.LeftOut, "%d transactions ended before the first line's second, or too long after it: they are in the totals, but not over time", n)
	}
	if l.torn {
		add(capture.Cut, "the last line is incomplete")
	}
	return capture.Found{Runs: []capture.Run{run}, Notes: notes}, nil
}

// fewSampled is from how many lines on a log shows that it is a sample.
const fewSampled = 10

// sampling returns the share of the transactions that the log has: between its first and last line, a
// client's count grows by one with each transaction, logged or not.
func (l *log) sampling() (rate float64, sampled bool) {
	lines, counted := l.lines, int64(0)
	for _, c := range l.clients {
		if c.seen {
			lines--
			counted += c.last - c.first
		}
	}
	if lines < fewSampled || counted <= lines+lines/10 {
		return 1, false
	}
	return float64(lines) / float64(counted), true
}
