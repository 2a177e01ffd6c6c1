package fio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// ReadClock reads the file that a job with Clock has written: two moments of the wall clock, to the
// millisecond, between which the job was running. They are at most three intervals of the log
// shorter than the job. fio reports when a job began only from release 3.36 on.
func ReadClock(prefix string) (from, to time.Time, err error) {
	text, err := os.ReadFile(prefix + "_bw.log")
	if err != nil {
		return from, to, fmt.Errorf("cannot read fio's log: %w", err)
	}
	return parseClock(text)
}

// clockPace returns the interval of the log of a job with Clock: short enough for eight lines, but
// not below what fio's clock distinguishes (it allows for 10 ms).
func clockPace(job time.Duration) time.Duration {
	return max(job/8, 20*time.Millisecond)
}

// mostClock is the end of the year 2200 in milliseconds since 1970: later times are invalid.
const mostClock = 7258118400000

// parseClock returns the times of the first and the last line of a log (HOWTO.rst, Log File
// Formats).
func parseClock(text []byte) (from, to time.Time, err error) {
	for line := range bytes.Lines(text) {
		field, _, _ := bytes.Cut(line, []byte(","))
		ms, err := strconv.ParseInt(string(bytes.TrimSpace(field)), 10, 64)
		if err != nil || ms < 0 || ms > mostClock {
			return time.Time{}, time.Time{}, fmt.Errorf("cannot read the time %q in fio's log", bytes.TrimSpace(field))
		}
		to = time.UnixMilli(ms)
		if from.IsZero() {
			from = to
		}
	}
	if !to.After(from) {
		return time.Time{}, time.Time{}, errors.New("cannot determine when fio's job ran: its log has fewer than two times")
	}
	return from, to, nil
}
