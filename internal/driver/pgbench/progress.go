package pgbench

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"plinth/internal/record"
)

// parseProgress reads one line that -P prints to standard error:
//
//	progress: 2.0 s, 988.1 tps, lat 1.012 ms stddev 0.101, 0 failed, lag 0.100 ms, 3 skipped, 0 retried, 0 retries
//
// Versions before 15 print neither failures nor retries; the rest depends on the options.
// ended reports whether any transaction ended since the previous line. ok is false for
// other lines.
func parseProgress(line string) (p record.Point, ended bool, ok bool) {
	rest, ok := strings.CutPrefix(line, "progress: ")
	if !ok {
		return p, false, false
	}
	fields := strings.Split(rest, ", ")
	if len(fields) < 3 {
		return p, false, false
	}
	var failures, skipped float64
	ok = true
	for _, field := range fields {
		label, value := labelled(field)
		switch label {
		case "s":
			p.Second = parse(value, &ok)
		case "tps":
			p.TPS = parse(value, &ok)
		case "lat":
			p.LatencyMS = parse(value, &ok)
		case "failed":
			failures = parse(value, &ok)
		case "skipped":
			skipped = parse(value, &ok)
		}
	}
	p.Failures = int64(failures)
	return p, p.TPS > 0 || failures > 0 || skipped > 0, ok
}

// labelled splits "988.1 tps" and "lat 1.012 ms stddev 0.101".
func labelled(field string) (label, value string) {
	words := strings.Fields(field)
	switch {
	case len(words) < 2:
		return "", ""
	case len(words) == 2:
		return words[1], words[0]
	}
	return words[0], words[1]
}

func parse(s string, ok *bool) float64 {
	f, err := strconv.ParseFloat(s, 64)
	*ok = *ok && err == nil
	return f
}

// maxErrorLine is how much of one line of standard error is read, in bytes; the file has
// all of it.
const maxErrorLine = 64 << 10

// lines keeps a stream verbatim in a file and passes on its lines.
type lines struct {
	file io.Writer
	each func(line string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.file.Write(p)
	l.rest = append(l.rest, p...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			break
		}
		l.each(string(bytes.TrimRight(l.rest[:end], "\r")))
		l.rest = l.rest[end+1:]
	}
	if len(l.rest) > maxErrorLine {
		l.rest = l.rest[:0]
	}
	return n, err
}
