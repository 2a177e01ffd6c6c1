package phrase

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"plinth/internal/unit"
	"plinth/internal/verdict"
)

// None stands in place of a missing number.
const None = "-"

// Count formats a count or a rate with thousands separators: 1,677. Below ten it keeps one
// decimal.
func Count(f float64) string {
	if math.Abs(f) < 10 && f != math.Trunc(f) {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return unit.Grouped(math.Round(f), 0)
}

// Milliseconds formats nanoseconds as milliseconds: 0.60 ms, 13.41 ms. Below 0.1 ms it has
// three decimals, from a second on none.
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

// Latency formats a latency like Milliseconds, and None if it is zero: then it is unknown, as in an
// imported run.
func Latency(ns float64) string {
	if ns == 0 {
		return None
	}
	return Milliseconds(ns)
}

// Seconds formats seconds with two decimals; from ten seconds on with none.
func Seconds(s float64) string {
	if s >= 10 {
		return Count(s) + " s"
	}
	return strconv.FormatFloat(s, 'f', 2, 64) + " s"
}

// Took formats the seconds that something took, for comparison: 3.1 ms, 0.19 s, 1m5s.
func Took(s float64) string {
	switch {
	case s > 0 && s < 0.1:
		return fmt.Sprintf("%.1f ms", 1000*s)
	case s < 60:
		return fmt.Sprintf("%.2f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// Percent formats a share of 0 to 1 in whole per cent.
func Percent(share float64) string {
	p := share * 100
	if p > 0 && p < 1 {
		return "under 1 %"
	}
	return Count(math.Round(p)) + " %"
}

// Bytes formats a size. From 1000 bytes on it uses KiB, so that adjacent table rows have the
// same unit.
func Bytes(n int64) string {
	if n >= 1000 && n < 1024 {
		return strconv.FormatFloat(float64(n)/1024, 'f', 2, 64) + " KiB"
	}
	text := unit.Size(n).String()
	at := strings.IndexFunc(text, func(r rune) bool { return r >= 'A' })
	return text[:at] + " " + text[at:]
}

// Exact formats f for programs: the shortest text that reads back as f.
func Exact(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Plural returns "1 run", "2 runs".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(float64(n)) + " " + noun + "s"
}

// Share formats a share of 0 to 1 in per cent, with more decimals near 0 and 1, the range of
// failures and of seconds under a limit.
func Share(f float64) string {
	d := 1
	if f <= 0 || f >= 1 {
		d = 0
	} else if f < 0.001 || f > 0.999 {
		d = 3
	}
	return verdict.Fixed(f*100, d) + " %"
}

// Quantity formats a value in the unit of a figure, a column or a resource.
func Quantity(f float64, unit string, isShare bool) string {
	switch {
	case !Known(f):
		return None
	case math.Abs(f) >= 1e15: // not a measurement: the record is from an untrusted source
		return strconv.FormatFloat(f, 'g', 3, 64)
	case isShare:
		return Share(f)
	}
	switch unit {
	case "ns":
		return Milliseconds(f)
	case "s":
		return Seconds(f)
	case "bytes":
		return Bytes(int64(f))
	case "bytes/s":
		return Bytes(int64(f)) + "/s"
	case "1/s":
		return Fine(f) + "/s"
	case "", "1":
		return Fine(f)
	}
	return Fine(f) + " " + unit
}

// Fine formats small numbers with two decimals. A positive value below their resolution is
// "under 0.01".
func Fine(f float64) string {
	if f > 0 && f < 0.005 {
		return "under 0.01"
	}
	if math.Abs(f) < 10 && f != math.Trunc(f) {
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	return Count(f)
}

// Short formats a non-negative value in at most five characters: 0.04, 4.1, 8,500, 15k, 1.2M.
func Short(f float64) string {
	switch {
	case f < 10 && f == math.Trunc(f):
		return strconv.FormatFloat(f, 'f', 0, 64)
	case f < 0.005:
		return "<0.01"
	case f < 0.095:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 9.95:
		return strconv.FormatFloat(f, 'f', 1, 64)
	case f < 9999.5:
		return Count(math.Round(f))
	}
	for _, suffix := range []string{"k", "M", "G", "T"} {
		f /= 1000
		if f < 9.95 {
			return strconv.FormatFloat(f, 'f', 1, 64) + suffix
		}
		if f < 999.5 {
			return strconv.FormatFloat(f, 'f', 0, 64) + suffix
		}
	}
	return strconv.FormatFloat(f, 'g', 1, 64)
}

// FourDigits formats a number with four significant digits, or all digits before the decimal
// point.
func FourDigits(f float64) string {
	if math.Abs(f) >= 1000 {
		return Count(f)
	}
	return unit.Digits(f, 4)
}

// Known reports whether v is a number rather than a gap (NaN or infinite).
func Known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Ints lists integers: "1, 4, 8".
func Ints(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = fmt.Sprint(n)
	}
	return strings.Join(texts, ", ")
}

// Times formats a ratio, a large one with thousands separators.
func Times(f float64) string {
	if f >= 1000 {
		return Count(f)
	}
	return verdict.Times(f)
}
