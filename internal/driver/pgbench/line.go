package pgbench

// outcome is how a logged transaction ended.
type outcome uint8

const (
	succeeded outcome = iota
	failed            // gave up after serialization failures or deadlocks (pgbench 15 and later)
	skipped           // not started: when due, it was already later than the latency limit
)

// entry is one line of the transaction log.
type entry struct {
	client  int64
	end     int64 // when it ended, in microseconds since the epoch
	micros  int64 // latency; with a rate, since it was due. 0 unless it succeeded
	lag     int64 // microseconds from when it was due to its start
	retries int64 // tries beyond the first
	script  int   // index of the script
	outcome outcome
}

// form is the set of optional fields in the lines of a log. It follows from the command
// line: pgbench writes the same fields on every line of a run.
//
//	client_id transaction_no time script_no time_epoch time_us [ schedule_lag ] [ retries ]
//
// time is a number of microseconds, "skipped", or (15 and later) "failed", or with
// --failures-detailed "serialization" or "deadlock". See "Per-Transaction Logging" in
// PostgreSQL's documentation of pgbench; versions before 15 have neither retries nor
// failures, everything else is the same from 13 to 18.
type form struct {
	lag     bool // -R was given
	retries bool // --max-tries was given and is not 1
}

// parse reads one line, without its newline, into e. It is called for every transaction of
// a run: one pass over the bytes, no allocation. It returns false for anything that pgbench
// does not write.
func (f form) parse(line []byte, e *entry) bool {
	client, i, ok := number(line, 0)
	if !ok {
		return false
	}
	e.client = client
	if _, i, ok = number(line, i); !ok { // the client's transaction counter
		return false
	}
	if i, ok = e.parseTime(line, i); !ok {
		return false
	}
	script, i, ok := number(line, i)
	if !ok || script > maxScripts {
		return false
	}
	e.script = int(script)
	seconds, i, ok := number(line, i)
	if !ok || seconds > maxEpoch {
		return false
	}
	micros, i, ok := number(line, i)
	if !ok || micros > 999_999 {
		return false
	}
	e.end = seconds*1_000_000 + micros
	e.lag, e.retries = 0, 0
	if f.lag {
		if e.lag, i, ok = signed(line, i); !ok {
			return false
		}
	}
	if f.retries {
		if e.retries, i, ok = number(line, i); !ok {
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
func (e *entry) parseTime(line []byte, i int) (next int, ok bool) {
	if i >= len(line) {
		return 0, false
	}
	if line[i] <= '9' {
		e.outcome = succeeded
		e.micros, next, ok = signed(line, i)
		return next, ok
	}
	end := i
	for end < len(line) && line[end] != ' ' {
		end++
	}
	e.micros = 0
	switch string(line[i:end]) { // does not allocate
	case "skipped":
		e.outcome = skipped
	case "failed", "serialization", "deadlock":
		e.outcome = failed
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
