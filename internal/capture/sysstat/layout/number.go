// Package layout reads the parts that the outputs of sysstat's programs have in common: the first
// line, numbers, dates and times of day.
package layout

import (
	"bytes"
	"math"
	"strconv"
)

// Number is a number as sysstat prints it.
type Number struct {
	Value    float64 // NaN for "-" and "nan"
	Decimals int     // digits after the point or comma
	Digits   int     // all digits
	// Suffix is the unit that --human appends (cprintf_unit and cprintf_xpc in common.c): '%', or 'B',
	// 'k', 'M', 'G', 'T', 'P' for bytes and their multiples by 1,024. 0 if there is none.
	Suffix byte
}

// powers are the powers of ten that a float64 represents exactly and that decimals need.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}

const (
	maxDigits   = 15 // that a float64 holds exactly
	maxDecimals = 2  // as --dec allows, and as all programs print by default
)

// ParseNumber parses a field. Locales with a decimal comma print one. sysstat never groups digits
// and prints at most two decimals, so a number with three digits after a comma is none of its own.
func ParseNumber(field []byte) (Number, bool) {
	if len(field) == 0 {
		return Number{}, false
	}
	rest, negative := field, false
	if rest[0] == '-' {
		rest, negative = rest[1:], true
	}
	if negative && len(rest) == 0 || bytes.EqualFold(rest, []byte("nan")) || bytes.EqualFold(rest, []byte("inf")) {
		return Number{Value: math.NaN()}, true
	}
	n, length := digits(rest)
	if length == 0 || n.Decimals > maxDecimals || !n.suffix(rest[length:]) {
		return Number{}, false
	}
	if n.Digits > maxDigits {
		n.Value, _ = strconv.ParseFloat(string(bytes.Replace(rest[:length], []byte(","), []byte("."), 1)), 64)
	}
	if negative {
		n.Value = -n.Value
	}
	return n, true
}

// digits parses digits with at most one point or comma between them, and returns how many bytes they
// take; 0 if there are none.
func digits(text []byte) (n Number, length int) {
	var mantissa uint64
	point := -1
	for length < len(text) {
		c := text[length]
		if c >= '0' && c <= '9' {
			mantissa = mantissa*10 + uint64(c-'0')
			n.Digits++
		} else if point < 0 && n.Digits > 0 && (c == '.' || c == ',') {
			point = n.Digits
		} else {
			break
		}
		length++
	}
	if point >= 0 {
		n.Decimals = n.Digits - point
	}
	if n.Digits == 0 || point == n.Digits || n.Decimals >= len(powers) {
		return Number{}, 0
	}
	n.Value = float64(mantissa) / powers[n.Decimals]
	return n, length
}

func (n *Number) suffix(rest []byte) bool {
	switch {
	case len(rest) == 0:
		return true
	case len(rest) > 1 || bytes.IndexByte([]byte("%BkMGTP"), rest[0]) < 0:
		return false
	}
	n.Suffix = rest[0]
	return true
}

// In returns the value in a unit of the given number of bytes, which is that of the column's name: a
// number with a suffix is converted, one without has the unit already.
func (n Number) In(unit float64) float64 {
	power := bytes.IndexByte([]byte("BkMGTP"), n.Suffix)
	if n.Suffix == 0 || power < 0 {
		return n.Value
	}
	return math.Ldexp(n.Value, 10*power) / unit
}

// Fields splits a line at white space, into fields, which it returns extended. They are parts of
// line, up to its capacity: see Rest.
func Fields(fields [][]byte, line []byte) [][]byte {
	for i := 0; i < len(line); {
		for i < len(line) && isSpace(line[i]) {
			i++
		}
		start := i
		for i < len(line) && !isSpace(line[i]) {
			i++
		}
		if i > start {
			fields = append(fields, line[start:i])
		}
	}
	return fields
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'
}

// Rest returns the part of line that begins with field, which Fields returned.
func Rest(line, field []byte) []byte {
	return bytes.TrimRight(line[cap(line)-cap(field):], " \t\r")
}
