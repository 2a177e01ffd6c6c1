package fio

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ReadSeconds reads the file that a job with Seconds has left: bytes in each whole
// second, from its first on.
func ReadSeconds(prefix string) ([]float64, error) {
	text, err := os.ReadFile(prefix + "_bw.log")
	if err != nil {
		return nil, fmt.Errorf("cannot read fio's log: %w", err)
	}
	return parseSeconds(text)
}

// mostSeconds is how long a log may be: a week.
const mostSeconds = 7 * 24 * 3600

// parseSeconds reads lines of "time in ms, KiB/s, direction, ..." (HOWTO.rst, Log
// File Formats). Each thread and direction has lines of its own, which add up. A
// line belongs to the second that ends at its time, give or take; what is logged
// beyond the last whole second is the rest of it.
func parseSeconds(text []byte) ([]float64, error) {
	var seconds []float64
	for line := range bytes.Lines(text) {
		fields := strings.Split(strings.TrimSpace(string(line)), ",")
		if len(fields) < 3 {
			return nil, fmt.Errorf("cannot read fio's log: %q", bytes.TrimSpace(line))
		}
		ms, err := strconv.ParseUint(strings.TrimSpace(fields[0]), 10, 64)
		if err != nil || ms > mostSeconds*1000 {
			return nil, fmt.Errorf("cannot read the time %q in fio's log", fields[0])
		}
		rate, err := strconv.ParseUint(strings.TrimSpace(fields[1]), 10, 48)
		if err != nil {
			return nil, fmt.Errorf("cannot read the rate %q in fio's log", fields[1])
		}
		if ms < 500 {
			continue
		}
		at := int((ms+500)/1000) - 1
		for len(seconds) <= at {
			seconds = append(seconds, 0)
		}
		seconds[at] += float64(rate) * 1024
	}
	return seconds, nil
}
