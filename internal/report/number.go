package report

import (
	"math"
	"strconv"
	"strings"

	"plinth/internal/unit"
)

// none stands where there is no number.
const none = "-"

// Count prints a count or a rate for people, with thousands separators: 1,677.
// Below ten it keeps a decimal.
func Count(f float64) string {
	if math.Abs(f) < 10 && f != math.Trunc(f) {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	digits := strconv.FormatFloat(math.Abs(math.Round(f)), 'f', 0, 64)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if f < 0 {
		return "-" + b.String()
	}
	return b.String()
}

// Milliseconds prints a latency given in nanoseconds: 0.60 ms, 13.41 ms. Below
// 0.1 ms it keeps a third decimal, from a second on it needs none.
func Milliseconds(ns float64) string {
	ms := ns / 1e6
	switch {
	case ms >= 1000:
		return Count(ms) + " ms"
	case ms < 0.0995:
		return strconv.FormatFloat(ms, 'f', 3, 64) + " ms"
	}
	return strconv.FormatFloat(ms, 'f', 2, 64) + " ms"
}

// seconds prints a duration given in seconds with two significant decimals.
func seconds(s float64) string {
	if s >= 10 {
		return Count(s) + " s"
	}
	return strconv.FormatFloat(s, 'f', 2, 64) + " s"
}

func percent(share float64) string {
	p := share * 100
	if p > 0 && p < 1 {
		return "under 1 %"
	}
	return Count(math.Round(p)) + " %"
}

// bytes prints a size; close below 1 KiB it is one, too, so that neighbours in a table
// have the same unit.
func bytes(n int64) string {
	if n >= 1000 && n < 1024 {
		return strconv.FormatFloat(float64(n)/1024, 'f', 2, 64) + " KiB"
	}
	text := unit.Size(n).String()
	at := strings.IndexFunc(text, func(r rune) bool { return r >= 'A' })
	return text[:at] + " " + text[at:]
}

// exact prints f for programs: as short as it can be read back.
func exact(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// plural is "1 run", "2 runs".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(float64(n)) + " " + noun + "s"
}
