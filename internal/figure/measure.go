package figure

import (
	"math"
	"strconv"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// measure is a unit of thresholds.
type measure struct {
	name string
	of   string  // the unit of the figures that it is for
	size float64 // in that unit
}

// measures are those there are; a share is written in per cent.
var measures = []measure{
	{"%", "share", 0.01},
	{"kB", "bytes", 1e3}, {"MB", "bytes", 1e6}, {"GB", "bytes", 1e9},
	{"KiB", "bytes", 1 << 10}, {"MiB", "bytes", 1 << 20}, {"GiB", "bytes", 1 << 30},
	{"MB/s", "bytes/s", 1e6}, {"MiB/s", "bytes/s", 1 << 20},
	{"us", "ns", 1e3}, {"ms", "ns", 1e6}, {"s", "ns", 1e9},
	{"1/s", "1/s", 1}, {"1", "1", 1},
}

// text prints a value with four digits, so that one next to a bound is seen to be on
// its side: "412 MB", "9.97 %".
func (u measure) text(value float64) string {
	value /= u.size
	text := strconv.FormatFloat(value, 'g', 4, 64)
	if math.Abs(value) >= 1000 {
		text = strconv.FormatFloat(value, 'f', 0, 64)
	}
	return u.with(text)
}

// with puts the unit behind a number.
func (u measure) with(text string) string {
	if u.name == "1" {
		return text
	}
	return text + " " + u.name
}

// unitOf is what a figure, or a metric of the run's result, is measured in.
func unitOf(name string) (string, error) {
	m, err := experiment.ParseMetric(name)
	switch {
	case err != nil:
		return "", err
	case m.Column != "":
		return "", hint.Errorf("take a percentile of the run, such as p99", "%s is no figure of a run", name)
	case m.Share:
		return "share", nil
	case m.Time:
		return "ns", nil
	case m.Figure:
		return m.Unit, nil
	}
	return "1/s", nil
}
