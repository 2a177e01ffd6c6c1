package figure

import (
	"math"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/figure/window"
	"plinth/internal/hint"
	"plinth/internal/record"
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

// text prints a value as the page of a run does, and with more decimals where it
// would else be seen on the wrong side of the bounds that hold it: "412 MB", "9.97 %".
func (u measure) text(value float64, on bound) string {
	const most = 6
	value /= u.size
	for d := u.decimals(value); ; d++ {
		text := strconv.FormatFloat(value, 'f', d, 64)
		printed, _ := strconv.ParseFloat(text, 64)
		if d >= most || on.holds(printed*u.size) {
			return u.with(thousands(text))
		}
	}
}

// decimals are those of a value of the measure.
func (u measure) decimals(value float64) int {
	whole := value == math.Trunc(value)
	switch {
	case u.of == "share" && value > 0 && value < 100, u.of == "bytes" && !whole && math.Abs(value) < 1000:
		return 1
	case u.of == "ns" && math.Abs(value) < 1000, !whole && math.Abs(value) < 10:
		return 2
	}
	return 0
}

// thousands separates them with commas: "12,345.6".
func thousands(number string) string {
	digits, decimals, both := strings.Cut(strings.TrimPrefix(number, "-"), ".")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if both {
		digits += "." + decimals
	}
	if strings.HasPrefix(number, "-") {
		return "-" + digits
	}
	return digits
}

// with puts the unit behind a number.
func (u measure) with(text string) string {
	switch u.name {
	case "1":
		return text
	case "1/s":
		return text + "/s"
	}
	return text + " " + u.name
}

// unitOf holds what a figure, or a metric of the run's result, is measured in.
func unitOf(name string) (string, error) {
	m, err := experiment.ParseMetric(name)
	switch {
	case err != nil:
		return "", err
	case m.Column != "":
		return "", hint.Errorf("use a percentile of the run, such as p99", "checklists cannot use %s", name)
	case m.Share:
		return "share", nil
	case m.Time:
		return "ns", nil
	case m.Figure:
		return m.Unit, nil
	}
	return "1/s", nil
}

// measuresOf are the units that thresholds of a figure may have.
func measuresOf(figure string) (all []measure, err error) {
	of, err := unitOf(figure)
	for _, m := range measures {
		if err == nil && m.of == of {
			all = append(all, m)
		}
	}
	return all, err
}

// valueOf is a figure of a run, or a metric of its result.
func valueOf(run *record.Run, name string) window.Number {
	if m, err := experiment.ParseMetric(name); err == nil && !m.Figure {
		return ofResult(run.Result, name)
	}
	if value, known := run.Figures[name]; known && !math.IsNaN(value) {
		return window.Number{Value: value}
	}
	for _, gap := range run.FigureGaps {
		if gap.What == name {
			return window.Number{Why: gap.Why}
		}
	}
	return window.Number{Why: "its record does not have that figure"}
}

// ofResult is a metric of the run as a whole, TPS in 1/s and latencies in ns.
func ofResult(r record.Result, name string) window.Number {
	if r.Transactions <= 0 && r.TPS <= 0 {
		return window.Number{Why: "no transaction ended in the window"}
	}
	latencies := map[string]float64{
		"latency": r.Latency.Mean, "p50": float64(r.Latency.P50), "p95": float64(r.Latency.P95), "p99": float64(r.Latency.P99), "p99.9": float64(r.Latency.P999),
	}
	switch ns, is := latencies[name]; {
	case is && ns <= 0:
		return window.Number{Why: "the load generator's output does not have it"} // imported
	case is:
		return window.Number{Value: ns}
	case name == "tps":
		return window.Number{Value: r.TPS}
	}
	return window.Number{Value: float64(r.Failures) / (float64(r.Transactions) + float64(r.Failures))}
}
