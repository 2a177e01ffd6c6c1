package knob

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// dimension is a quantity that has several units.
type dimension int

const (
	size  dimension = iota + 1 // in bytes
	span                       // of time, in nanoseconds
	share                      // in per cent
)

// measure is a unit in one spelling.
type measure struct {
	name string
	of   dimension
	size int64 // in bytes, nanoseconds, per cent
}

// base holds the units of values that are given without a unit.
var base = map[string]measure{
	"bytes": {"bytes", size, 1}, "B": {"B", size, 1}, "kB": {"kB", size, 1 << 10}, "8kB": {"8kB", size, 8 << 10},
	"MB": {"MB", size, 1 << 20}, "ns": {"ns", span, 1}, "us": {"us", span, 1e3}, "ms": {"ms", span, 1e6},
	"centisecs": {"centisecs", span, 1e7}, "s": {"s", span, 1e9}, "min": {"min", span, 60e9}, "%": {"%", share, 1},
}

// powersOfTwo are plinth's own spellings of sizes. MB is not one of them: for a disk it is
// a million bytes, for PostgreSQL it is not.
var powersOfTwo = []measure{
	{"TiB", size, 1 << 40}, {"GiB", size, 1 << 30}, {"MiB", size, 1 << 20}, {"KiB", size, 1 << 10},
}

// suffixes holds the units that may follow a number, by engine, the largest of each
// dimension first; "" is for the kernel and libvirt.
var suffixes = map[string][]measure{
	"": append([]measure{
		{"kB", size, 1 << 10}, {"B", size, 1}, {"h", span, 3600e9}, {"min", span, 60e9}, {"s", span, 1e9},
		{"ms", span, 1e6}, {"us", span, 1e3}, {"µs", span, 1e3}, {"ns", span, 1}, {"%", share, 1},
	}, powersOfTwo...),
	"postgres": append([]measure{
		{"TB", size, 1 << 40}, {"GB", size, 1 << 30}, {"MB", size, 1 << 20}, {"kB", size, 1 << 10}, {"B", size, 1},
		{"d", span, 86400e9}, {"h", span, 3600e9}, {"min", span, 60e9}, {"s", span, 1e9}, {"ms", span, 1e6}, {"us", span, 1e3},
	}, powersOfTwo...),
	"redis": append([]measure{
		{"gb", size, 1 << 30}, {"g", size, 1e9}, {"mb", size, 1 << 20}, {"m", size, 1e6}, {"kb", size, 1 << 10}, {"k", size, 1e3}, {"b", size, 1},
		{"%", share, 1},
	}, powersOfTwo...),
}

// numeral matches a number and its unit. It rejects leading zeros, which the kernel and
// PostgreSQL read as octal. Its length is bounded, so that no value takes long to parse.
var numeral = regexp.MustCompile(`^([+-]?(?:0|[1-9][0-9]{0,24})?(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,3})?)\s*(%|[A-Za-zµ]*)$`)

// inUnits returns a number, given with or without a unit, in the knob's unit, or the reason
// why it is invalid.
func (k Knob) inUnits(text string) (*big.Rat, string) {
	match := numeral.FindStringSubmatch(strings.TrimSpace(text))
	if match == nil || !strings.ContainsAny(match[1], "0123456789") {
		return nil, "it is not a number"
	}
	n, ok := new(big.Rat).SetString(match[1])
	if !ok {
		return nil, "it is not a number"
	}
	if match[2] == "" {
		return n, ""
	}
	own, counted := base[k.Unit]
	given, known := k.suffix(match[2])
	switch {
	case !counted && k.Unit == "":
		return nil, "it is a plain number, without a unit"
	case !counted:
		return nil, "its unit is " + k.Unit
	case !known:
		return nil, match[2] + " is not one of its units"
	case own.of != given.of:
		return nil, match[2] + " is not one of its units"
	}
	if k.Engine == "postgres" {
		n, given = nextSmaller(n, given)
	}
	return n.Mul(n, big.NewRat(given.size, own.size)), ""
}

// suffix returns a unit by its name; the knob's own unit is always valid.
func (k Knob) suffix(name string) (measure, bool) {
	if own, counted := base[k.Unit]; counted && name == k.Unit {
		return own, true
	}
	for _, m := range suffixes[k.Engine] {
		if name == m.name || k.Engine == "redis" && strings.EqualFold(name, m.name) {
			return m, true
		}
	}
	return measure{}, false
}

// nextSmaller rounds to whole multiples of the next smaller unit, as PostgreSQL does:
// 30.1GB is 30822MB.
func nextSmaller(n *big.Rat, given measure) (*big.Rat, measure) {
	var next measure
	for _, m := range suffixes["postgres"] {
		if m.of == given.of && m.size < given.size && m.size > next.size {
			next = m
		}
	}
	if next.size == 0 {
		return n, given
	}
	n.Mul(n, big.NewRat(given.size, next.size))
	return new(big.Rat).SetInt(rounded(n)), next
}

// rounded returns the nearest whole number, rounding half to even.
func rounded(r *big.Rat) *big.Int {
	double := new(big.Int).Lsh(r.Num(), 1)
	double.Add(double, r.Denom())
	whole, rest := new(big.Int).DivMod(double, new(big.Int).Lsh(r.Denom(), 1), new(big.Int))
	if rest.Sign() == 0 && whole.Bit(0) == 1 {
		whole.Sub(whole, big.NewInt(1))
	}
	return whole
}

// exact returns a number rounded to a float64 and its shortest decimal form, so that its
// printed form parses to the same value.
func exact(r *big.Rat) (*big.Rat, bool) {
	f, _ := r.Float64()
	if math.IsInf(f, 0) {
		return nil, false
	}
	back, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return back, ok
}

// show prints a number in the knob's unit: for PostgreSQL as SHOW does, in the largest
// unit in which it is whole.
func (k Knob) show(r *big.Rat) string {
	own, counted := base[k.Unit]
	if k.Engine == "postgres" && counted && r.Sign() > 0 {
		for _, m := range suffixes["postgres"] {
			in := new(big.Rat).Mul(r, big.NewRat(own.size, m.size))
			if m.of == own.of && in.IsInt() {
				return in.Num().String() + m.name
			}
		}
	}
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// Less reports whether value a is a smaller number than b. It is false if one of them is not a number.
func (k Knob) Less(a, b string) bool {
	x, reason := k.inUnits(strings.TrimSpace(a))
	if reason != "" {
		return false
	}
	y, reason := k.inUnits(strings.TrimSpace(b))
	return reason == "" && x.Cmp(y) < 0
}
