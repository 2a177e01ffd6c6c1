// Package sadf reads what sadf prints from the files of sar: lines with semicolons (-d) and with one
// value each (-p), of sysstat 10.1 to 12.7 (rndr_stats.c, and sadf(1)). Its JSON (-j) is read by package
// document.
package sadf

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
)

// Kinds returns the formats that this package reads.
func Kinds() []capture.Kind {
	return []capture.Kind{
		{
			Name: "sadf", Title: "output of sadf -d",
			Begins: func(lines []string) bool { return strings.HasPrefix(lines[0], csvHeading) },
			New:    func() capture.Reader { return newCSV() },
		},
		{
			Name: "sadf-p", Title: "output of sadf -p",
			Begins: func(lines []string) bool { return pair.MatchString(lines[0]) },
			New:    func() capture.Reader { return newPairs() },
		},
	}
}

const csvHeading = "# hostname;interval;timestamp"

// pair is a line of sadf -p: host, interval, time, what it is about, the name of the value, the value.
var pair = regexp.MustCompile(`^[^\t]+\t-?\d+\t(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( UTC)?|\d{9,10})\t[^\t]+\t[%A-Za-z][^\t]*\t-?[\d.,]+$`)

// moment parses a time of sadf: in UTC, in the local time of an unknown zone (-T), or in seconds
// since 1970 (-U).
func moment(text []byte) (capture.Moment, bool) {
	if seconds, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return capture.Moment{Time: time.Unix(seconds, 0).UTC(), Clock: capture.UTC}, seconds > 1e8
	}
	clock := capture.Local
	if rest, ok := bytes.CutSuffix(text, []byte(" UTC")); ok {
		text, clock = rest, capture.UTC
	}
	t, err := time.Parse(time.DateTime, string(text))
	return capture.Moment{Time: t, Clock: clock}, err == nil
}

// whole reports whether the last number of the text is certainly complete: it has as many decimals
// as an earlier one. A number without decimals may have been longer.
func whole(n layout.Number, like *layout.Number) bool {
	return like != nil && n.Decimals > 0 && n.Decimals == like.Decimals
}

// restart matches what sadf -d prints when the machine started: the number of its CPUs.
var restart = regexp.MustCompile(`LINUX-RESTART\s+\((\d+) CPU\)`)
