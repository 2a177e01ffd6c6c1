// Package txlog decodes the lines of pgbench's transaction log ("Per-Transaction Logging" in
// PostgreSQL's documentation of pgbench).
package txlog

// Outcome is how a logged transaction ended.
type Outcome uint8

// The outcomes.
const (
	Succeeded Outcome = iota
	Failed            // gave up after serialization failures or deadlocks (pgbench 15 and later)
	Skipped           // not started: when due, it was already later than the latency limit
)

// Entry is one line of the transaction log.
type Entry struct {
	Client  int64
	Number  int64 // the client's transactions so far, as it counts them
	End     int64 // when it ended, in microseconds since the epoch
	Micros  int64 // latency; with a rate, since it was due. 0 unless it succeeded
	Lag     int64 // microseconds from when it was due to its start
	Retries int64 // tries beyond the first
	Script  int   // index of the script
	Outcome Outcome
}

// Form is the set of optional fields in the lines of a log. It follows from the command
// line: pgbench writes the same fields on every line of a run.
//
//	client_id transaction_no time script_no time_epoch time_us [ schedule_lag ] [ retries ]
//
// time is a number of microseconds, "skipped", or (15 and later) "failed", or with
// --failures-detailed "serialization" or "deadlock". See "Per-Transaction Logging" in
// PostgreSQL's documentation of pgbench; versions before 15 have neither retries nor
// failures, everything else is the same from 13 to 18.
type Form struct {
	Lag     bool // -R was given
	Retries bool // --max-tries was given and is not 1
}

// Parse reads one line, without its newline, into e. It is called for every transaction of
// a run: one pass over the bytes, no allocation. It returns false for anything that pgbench
// does not write.
func (f Form) Parse(line []byte, e *Entry) bool {
	client, i, ok := number(line, 0)
	if !ok {
		return false
	}
	e.Client = client
	if e.Number, i, ok = number(line, i); !ok {
		return false
	}
	if i, ok = e.parseTime(line, i); !ok {
		return false
	}
	script, i, ok := number(line, i)
	if !ok || script > maxScripts {
		return false
	}
	e.Script = int(script)
	seconds, i, ok := number(line, i)
	if !ok || seconds > maxEpoch {
		return false
	}
	micros, i, ok := number(line, i)
	if !ok || micros > 999_999 {
		return false
	}
	e.End = seconds*1_000_000 + micros
	e.Lag, e.Retries = 0, 0
	if f.Lag {
		if e.Lag, i, ok = signed(line, i); !ok {
			return false
		}
	}
	if f.Retries {
		if e.Retries, i, ok = number(line, i); !ok {
			return false
		}
	}
	return i == len(line)+1
}

const (
	maxScripts = 128               // pgbench's MAX_SCRIPTS
	maxEpoch   = 1_000_000_000_000 // the year 33658: keeps microseconds within an int64
)

// parseTime reads the third field: a latency, or a word in place of one.
func (e *Entry) parseTime(line []byte, i int) (next int, ok bool) {
	if i >= len(line) {
		return 0, false
	}
	if line[i] <= '9' {
		e.Outcome = Succeeded
		e.Micros, next, ok = signed(line, i)
		return next, ok
	}
	end := i
	for end < len(line) && line[end] != ' ' {
		end++
	}
	e.Micros = 0
	switch string(line[i:end]) { // does not allocate
	case "skipped":
		e.Outcome = Skipped
	case "failed", "serialization", "deadlock":
		e.Outcome = Failed
	default:
		return 0, false
	}
	return end + 1, true
}

// signed reads a number that pgbench 13 prints as negative if the clock was set back during
// the transaction.
func signed(line []byte, i int) (value int64, next int, ok bool) {
	if i < len(line) && line[i] == '-' {
		value, next, ok = number(line, i+1)
		return -value, next, ok
	}
	return number(line, i)
}

// maxDigits keeps nanoseconds, and sums of them, within an int64: 15 digits of microseconds
// are 31 years.
const maxDigits = 15

// number reads a decimal number that starts at i and ends with a space or the end of the
// line; next is the index after that.
func number(line []byte, i int) (value int64, next int, ok bool) {
	start := i
	for i < len(line) {
		digit := line[i] - '0'
		if digit > 9 {
			break
		}
		value = value*10 + int64(digit)
		i++
	}
	ok = i > start && i-start <= maxDigits && (i == len(line) || line[i] == ' ')
	return value, i + 1, ok
}
