package pgbench

import (
	"strconv"
	"strings"

	"plinth/internal/record"
)

// parseProgress reads one line that -P prints to standard error:
//
//	progress: 2.0 s, 988.1 tps, lat 1.012 ms stddev 0.101, 0 failed, lag 0.1 ms, 3 skipped, 0 retried, 0 retries
//
// What comes after the deviation depends on version and options and may come in
// any order. Other lines give false.
func parseProgress(line string) (p record.Point, ended bool, ok bool) {
	rest, ok := strings.CutPrefix(line, "progress: ")
	if !ok {
		return p, false, false
	}
	for i, field := range strings.Split(rest, ", ") {
		words := strings.Fields(field)
		if len(words) < 2 {
			return p, false, false
		}
		text, unit := words[0], words[1]
		if unit != "" && words[0] == "lat" {
			text, unit = words[1], "lat"
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			if i < 3 {
				return p, false, false
			}
			continue // lag, or a field of a later version
		}
		switch {
		case i == 0 && unit == "s":
			p.Second = value
		case unit == "tps":
			p.TPS = value
			ended = ended || value > 0
		case unit == "lat":
			p.LatencyMS = value
		case unit == "failed":
			p.Failures = int64(value)
			ended = ended || value > 0
		case unit == "skipped":
			ended = ended || value > 0
		}
	}
	return p, ended, true
}
