// Package measuretest supports measurements that need a quiet machine: how late an emulated
// device is, what telemetry costs, whether plinth agrees with vmstat. Such checks are tests
// with the build tag measure, in files named *_measure_test.go next to the code that they
// measure. `make measure` runs them before a release and writes the results to
// docs/measured.md. `make test` does not run them: its tests do not depend on timing.
package measuretest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// Repeats is the number of measurements of a check. The check is decided by their median, so
// that a single outlier does not matter.
const Repeats = 5

// File is the environment variable with the path of the file to which answers are appended,
// one JSON object per line.
const File = "PLINTH_MEASURED"

// Answer is the result of a check.
type Answer struct {
	Package  string   `json:"package"` // of the check: internal/emulator
	Test     string   `json:"test"`
	Question string   `json:"question"`
	Figures  []Figure `json:"figures"` // empty if a measurement failed: there is no answer
}

// Figure is one measured quantity of an answer, in its unit ("" for a share or a count).
type Figure struct {
	What   string  `json:"what"`
	Unit   string  `json:"unit,omitempty"`
	N      int     `json:"n"` // number of measurements
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Least and Most are the bounds of the median; nil for none.
	Least *float64 `json:"least,omitempty"`
	Most  *float64 `json:"most,omitempty"`
}

// Held reports whether the median is within its bounds.
func (f Figure) Held() bool {
	return (f.Least == nil || f.Median >= *f.Least) && (f.Most == nil || f.Median <= *f.Most)
}

// M is one measurement of a check.
type M struct {
	*testing.T
	check *check
}

// check collects the values of all measurements, in the order in which they first occur.
type check struct {
	figures []Figure
	values  map[string][]float64
	lost    int // measurements that could not be taken
}

// Ask measures Repeats times, each time in a subtest, and fails the test if the median of a
// value is out of bounds. A failed measurement fails the check. Lost measurements are left
// out, as long as they are fewer than half.
func Ask(t *testing.T, question string, measure func(m *M)) {
	t.Helper()
	AskTimes(t, Repeats, question, measure)
}

// AskTimes is like Ask with another number of measurements, for those that take long.
func AskTimes(t *testing.T, times int, question string, measure func(m *M)) {
	t.Helper()
	c := &check{values: map[string][]float64{}}
	for range times {
		t.Run("measurement", func(t *testing.T) { (&M{T: t, check: c}).run(measure) })
	}
	if c.lost*2 >= times {
		t.Errorf("%d of %d measurements were lost", c.lost, times)
	}
	answer := Answer{Package: packageName(), Test: t.Name(), Question: question}
	if !t.Failed() {
		answer.Figures = c.summary()
	}
	for _, f := range answer.Figures {
		report := t.Logf
		if !f.Held() {
			report = t.Errorf
		}
		report("%s", f)
	}
	if err := keep(answer); err != nil {
		t.Fatal(err)
	}
}

// Lost ends a measurement that could not be taken, and logs the reason. It does not fail the
// check, since the machine may be the cause. Values recorded before still count.
func (m *M) Lost(format string, args ...any) {
	m.Helper()
	m.check.lost++
	m.Logf("lost: "+format, args...)
	panic(lost{})
}

// lost is the value of the panic that ends a lost measurement. Skipping the subtest instead
// would mean that this machine lacks something that the test needs.
type lost struct{}

func (m *M) run(measure func(m *M)) {
	defer func() {
		if r := recover(); r != nil && r != (lost{}) {
			panic(r)
		}
	}()
	measure(m)
}

// Value records a value without bounds.
func (m *M) Value(what string, value float64, unit string) {
	m.note(Figure{What: what, Unit: unit}, value)
}

// AtMost records a value whose median must not exceed most.
func (m *M) AtMost(what string, value float64, unit string, most float64) {
	m.note(Figure{What: what, Unit: unit, Most: &most}, value)
}

// AtLeast records a value whose median must be at least least.
func (m *M) AtLeast(what string, value float64, unit string, least float64) {
	m.note(Figure{What: what, Unit: unit, Least: &least}, value)
}

// Between records a value whose median must be between least and most, inclusive.
func (m *M) Between(what string, value float64, unit string, least, most float64) {
	m.note(Figure{What: what, Unit: unit, Least: &least, Most: &most}, value)
}

func (m *M) note(f Figure, value float64) {
	m.Helper()
	if math.IsNaN(value) || math.IsInf(value, 0) {
		m.Errorf("%s is %v", f.What, value)
		return
	}
	if _, known := m.check.values[f.What]; !known {
		m.check.figures = append(m.check.figures, f)
	}
	m.check.values[f.What] = append(m.check.values[f.What], value)
}

// summary returns the figures with the median and the range of their values.
func (c *check) summary() []Figure {
	all := slices.Clone(c.figures)
	for i := range all {
		values := slices.Sorted(slices.Values(c.values[all[i].What]))
		n := len(values)
		all[i].N, all[i].Low, all[i].High = n, values[0], values[n-1]
		all[i].Median = (values[(n-1)/2] + values[n/2]) / 2
	}
	return all
}

// String returns the figure in one line: "lateness of a write: 84 µs (61 to 130, n=5), want at most 100 µs".
func (f Figure) String() string {
	text := fmt.Sprintf("%s: %s (%s, n=%d)", f.What, f.Value(), f.Range(), f.N)
	if bounds := f.Bounds(); bounds != "" {
		text += ", want " + bounds
	}
	return text
}

// Value returns the median with its unit: "84 µs".
func (f Figure) Value() string { return f.with(f.Median) }

// Range returns the lowest and the highest value: "61 to 130".
func (f Figure) Range() string { return number(f.Low) + " to " + number(f.High) }

// Bounds returns the bounds as text: "at most 100 µs"; empty if there are none.
func (f Figure) Bounds() string {
	switch {
	case f.Least != nil && f.Most != nil:
		return number(*f.Least) + " to " + f.with(*f.Most)
	case f.Least != nil:
		return "at least " + f.with(*f.Least)
	case f.Most != nil:
		return "at most " + f.with(*f.Most)
	}
	return ""
}

func (f Figure) with(value float64) string { return strings.TrimSpace(number(value) + " " + f.Unit) }

// number formats a value with three significant digits, which is all that measurements support;
// values of 1000 and above as whole numbers.
func number(x float64) string {
	if math.Abs(x) >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// keep appends an answer to the file given by the environment variable File, if it is set.
func keep(answer Answer) error {
	name := os.Getenv(File)
	if name == "" {
		return nil
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// packageName returns the package under test: a test runs in its directory.
func packageName() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	_, name, found := strings.Cut(dir, "/internal/")
	if !found {
		return dir
	}
	return "internal/" + name
}
