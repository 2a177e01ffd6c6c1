package capture

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"plinth/internal/record"
)

// Contradicts returns a note on numbers that cannot all be right.
func Contradicts(format string, args ...any) record.Note {
	return record.Note{Rule: Contradiction, Text: fmt.Sprintf(format, args...)}
}

// Precision says how exactly a tool prints durations.
type Precision struct {
	Step  float64 // width of a step of the histogram that percentiles come from, as a share of its value
	Round float64 // nanoseconds by which a printed value may differ from the exact one
}

// allows reports whether low may exceed high because of the precision.
func (p Precision) allows(low, high float64) bool {
	return low <= high*(1+p.Step)+p.Round*2
}

// Disorder returns what is impossible in a distribution: "p99 (31 ms) is above the maximum (20 ms)";
// "" if nothing is. Fields that are zero are unknown.
func (t Times) Disorder(p Precision) string {
	before := Percentile{}
	for _, point := range t.Percentiles {
		if point.Share > before.Share && point.Value < before.Value {
			return fmt.Sprintf("%s (%s) is below %s (%s)", point.name(), Milliseconds(float64(point.Value)), before.name(), Milliseconds(float64(before.Value)))
		}
		before = point
	}
	bounds := []struct {
		low, high         float64
		lowName, highName string
	}{
		{float64(before.Value), float64(t.Max), before.name(), "the maximum"},
		{t.Mean, float64(t.Max), "the mean", "the maximum"},
		{float64(t.Min), float64(t.Max), "the minimum", "the maximum"},
		{float64(t.Min), t.Mean, "the minimum", "the mean"},
	}
	for _, b := range bounds {
		if b.high > 0 && !p.allows(b.low, b.high) {
			return fmt.Sprintf("%s (%s) is above %s (%s)", b.lowName, Milliseconds(b.low), b.highName, Milliseconds(b.high))
		}
	}
	return ""
}

func (p Percentile) name() string { return "p" + strconv.FormatFloat(p.Share, 'f', -1, 64) }

// Milliseconds prints nanoseconds as "1.2 ms", to four digits.
func Milliseconds(ns float64) string {
	return strconv.FormatFloat(Digits(ns/1e6, 4), 'f', -1, 64) + " ms"
}

// Digits rounds x to n significant digits.
func Digits(x float64, n int) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', n, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}

// Occupation compares the clients with the transactions under way at a time, which are the rate times the mean
// latency (J. D. C. Little, 1961). A mean may differ by round, in nanoseconds, from the exact one. With a scheduled
// rate, latencies include the time in the queue.
func Occupation(run Run, mean, round float64) []record.Note {
	if run.Clients == 0 || run.Result.TPS == 0 || mean == 0 || run.Rate > 0 {
		return nil
	}
	if cycle := float64(run.Clients) / run.Result.TPS * 1e9; mean > cycle*1.05+round {
		return []record.Note{Contradicts("%d clients / %s TPS = %s, but the latency average is %s",
			run.Clients, strconv.FormatFloat(Digits(run.Result.TPS, 6), 'f', -1, 64), Milliseconds(cycle), Milliseconds(mean))}
	}
	return nil
}

// Number parses a number that a tool printed with a decimal point: digits, and no sign, exponent or
// "nan". It reports false for anything else, so for a decimal comma, too.
func Number(text []byte) (float64, bool) {
	if len(text) == 0 || len(text) > 40 {
		return 0, false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return x, err == nil
}

// WithoutLastNumber returns a line without a number at its end, which may lack digits.
func WithoutLastNumber(line []byte) []byte {
	return bytes.TrimRight(line, "0123456789.,")
}
